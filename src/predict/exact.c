/*
 * The engine "exact": candidates, and exact search for a few of each pair of places.
 */
#include "base/mem.h"
#include "predict/candidates.h"
#include "predict/engine.h"
#include "predict/limits.h"
#include "predict/trials.h"

static void exact_end(void *self, struct engine_run *run, struct engine_result *out)
{
	struct engine_options *opt = self;
	const struct model *m = engine_model(run);
	const struct causal *hard = engine_causal(run, CAUSAL_HARD);
	struct candidates *candidates = candidates_new(m);
	struct trials *t = trials_new(&(struct trials_setup){
		.m = m,
		.candidates = candidates,
		/* By values a read may do without the write it saw, and what that needed. */
		.exact = opt->values ? hard : engine_causal(run, limits_must(m, opt)),
		.opt = opt,
		.analysis = "exact",
	});

	trials_run(t, hard, out);
	trials_free(t);
	candidates_free(candidates);
	mem_free(opt);
}

const struct engine engine_exact = {
	.name = "exact",
	.summary = "races by exact search in windows of the trace",
	.needs_model = true,
	.sound = true,
	.begin = engine_keep_options,
	.end = exact_end,
};
