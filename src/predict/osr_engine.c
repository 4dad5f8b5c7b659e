/*
 * The engine "osr": candidates, a shortlist of them, optimistic reversal for each.
 */
#include "base/mem.h"
#include "predict/candidates.h"
#include "predict/engine.h"
#include "predict/limits.h"
#include "predict/trials.h"

static void osr_end(void *self, struct engine_run *run, struct engine_result *out)
{
	struct engine_options *opt = self;
	const struct model *m = engine_model(run);
	enum causal_mode mode = limits_mode(m, opt);
	struct candidates *candidates = candidates_new(m);
	struct trials *t = trials_new(&(struct trials_setup){
		.m = m,
		.candidates = candidates,
		.c = engine_causal(run, mode),
		.is_strict = mode == CAUSAL_STRICT,
		.opt = opt,
		.analysis = "osr",
	});

	trials_run(t, NULL, out);
	trials_free(t);
	candidates_free(candidates);
	mem_free(opt);
}

const struct engine engine_osr = {
	.name = "osr",
	.summary = "races by optimistic reversal of critical sections",
	.needs_model = true,
	.sound = true,
	.begin = engine_keep_options,
	.end = osr_end,
};
