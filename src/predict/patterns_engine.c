/*
 * The engines that list deadlock patterns (patterns.h), with all filters and with fewer.  None
 * of them claims anything: a pattern may be one that no run can reach.
 */
#include "base/mem.h"
#include "predict/deadlocks.h"
#include "predict/engine.h"

static void list(void *self, struct engine_run *run, const char *name, bool must, bool parents,
		 struct engine_result *out)
{
	struct engine_options *opt = self;
	struct deadlocks_setup setup = {
		.analysis = name,
		.stage = DEADLOCKS_LIST,
		.must = must,
		.parents = parents,
		.why = "a pattern of locks alone: whether a run can reach it was not asked",
	};

	deadlocks_search(run, opt, &setup, out);
	mem_free(opt);
}

static void patterns_end(void *self, struct engine_run *run, struct engine_result *out)
{
	list(self, run, "patterns", true, true, out);
}

static void patterns_mhb_end(void *self, struct engine_run *run, struct engine_result *out)
{
	list(self, run, "patterns-mhb", true, false, out);
}

static void patterns_all_end(void *self, struct engine_run *run, struct engine_result *out)
{
	list(self, run, "patterns-all", false, false, out);
}

const struct engine engine_patterns = {
	.name = "patterns",
	.summary = "circles of lock requests that no common lock, fork or join keeps apart",
	.needs_model = true,
	.begin = engine_keep_options,
	.end = patterns_end,
};

const struct engine engine_patterns_mhb = {
	.name = "patterns-mhb",
	.summary = "patterns, blind to locks that a parent holds around its children",
	.needs_model = true,
	.begin = engine_keep_options,
	.end = patterns_mhb_end,
};

const struct engine engine_patterns_all = {
	.name = "patterns-all",
	.summary = "patterns-mhb, blind to forks and joins as well",
	.needs_model = true,
	.begin = engine_keep_options,
	.end = patterns_all_end,
};
