/*
 * The engines that list deadlock patterns (patterns.h), with all filters and with fewer.  None
 * of them claims anything: a pattern may be one that no run can reach.
 */
#include "predict/deadlocks.h"
#include "predict/engine.h"

void patterns_search(const struct engine *e, struct engine_run *run,
		     const struct engine_options *opt, struct engine_result *out)
{
	struct deadlocks_setup setup = {
		.engine = e,
		.stage = DEADLOCKS_LIST,
		.must = e != &engine_patterns_all,
		.parents = e == &engine_patterns,
		.why = "a pattern of locks alone: whether a run can reach it was not asked",
	};

	deadlocks_search(run, opt, &setup, out);
}
