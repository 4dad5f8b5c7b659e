/*
 * The engines "spd" and "deadlocks".
 */
#include "predict/deadlocks.h"
#include "predict/deadlocks_priv.h"
#include "predict/engine.h"
#include "predict/waits.h"

static void spd_search(const struct engine *e, struct engine_run *run,
		       const struct engine_options *opt, struct engine_result *out)
{
	struct deadlocks_setup setup = {
		.engine = e, .stage = DEADLOCKS_SPD, .must = true, .parents = true
	};

	deadlocks_search(run, opt, &setup, out);
}

const struct engine engine_spd = {
	.name = "spd",
	.summary = "sync-preserving deadlocks: critical sections keep their order",
	.aim = ENGINE_WAITS,
	.proof = ENGINE_PROVES,
	.search = spd_search,
};

static void all_search(const struct engine *e, struct engine_run *run,
		       const struct engine_options *opt, struct engine_result *out)
{
	struct deadlocks_setup setup = {
		.engine = e, .stage = DEADLOCKS_ALL, .must = true, .parents = true, .joins = true
	};

	deadlocks_search(run, opt, &setup, out);
	deadlocks_own(run, e, out);
	waits_search(e, run, opt, out);
	out->counted = !opt->all_pairs; /* counts are by places */
}

const struct engine engine_deadlocks = {
	.name = "deadlocks",
	.summary =
		"all sound deadlock engines: patterns, spd, osr, exact; joins and condition waits",
	.aim = ENGINE_WAITS,
	.proof = ENGINE_PROVES,
	.usual = true,
	.search = all_search,
};
