/*
 * The engines "spd" and "deadlocks".
 */
#include "base/mem.h"
#include "predict/deadlocks.h"
#include "predict/deadlocks_priv.h"
#include "predict/engine.h"
#include "predict/waits.h"

static void spd_end(void *self, struct engine_run *run, struct engine_result *out)
{
	struct engine_options *opt = self;

	deadlocks_search(
		run, opt,
		&(struct deadlocks_setup){
			.analysis = "spd", .stage = DEADLOCKS_SPD, .must = true, .parents = true },
		out);
	mem_free(opt);
}

const struct engine engine_spd = {
	.name = "spd",
	.summary = "sync-preserving deadlocks: critical sections keep their order",
	.needs_model = true,
	.sound = true,
	.begin = engine_keep_options,
	.end = spd_end,
};

static void deadlocks_end(void *self, struct engine_run *run, struct engine_result *out)
{
	struct engine_options *opt = self;

	deadlocks_search(run, opt,
			 &(struct deadlocks_setup){ .analysis = "deadlocks",
						    .stage = DEADLOCKS_ALL,
						    .must = true,
						    .parents = true,
						    .joins = true },
			 out);
	deadlocks_own(run, "deadlocks", out);
	waits_search(run, opt, "deadlocks", out);
	out->counted = !opt->all_pairs; /* counts are by places */
	mem_free(opt);
}

const struct engine engine_deadlocks = {
	.name = "deadlocks",
	.summary =
		"all sound deadlock engines: patterns, spd, osr, exact; joins and condition waits",
	.needs_model = true,
	.sound = true,
	.usual = true,
	.begin = engine_keep_options,
	.end = deadlocks_end,
};
