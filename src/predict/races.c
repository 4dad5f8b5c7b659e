/*
 * The engine "races": the sound engines one after the other, each on what the ones before have
 * left (handbook 8.11).
 *
 *	candidates	locks and hard edges allow it
 *	syncp		in observed order; cheap, decides whole classes
 *	osr		some sections reversed; one pair after the other
 *	exact		any reordering; a budget for each pair of places
 *
 * Each finding has a schedule.  What has none is counted: refuted when every pair of accesses of
 * the two places was shown impossible, by what must run before what or by exact search.
 */
#include "base/mem.h"
#include "predict/candidates.h"
#include "predict/engine.h"
#include "predict/found.h"
#include "predict/limits.h"
#include "predict/syncp.h"
#include "predict/trials.h"

static void *races_begin(const struct engine_options *opt)
{
	struct engine_options *self = mem_alloc(sizeof(*self));

	*self = *opt;
	return self;
}

static void settle(struct trials *t, const struct found *f)
{
	for (size_t i = 0; i < found_count(f); i++) {
		const struct found_pair *p = found_at(f, i);

		trials_settle(t, p->e1, p->e2, p->signature);
	}
}

static void races_end(void *self, struct engine_run *run, struct engine_result *out)
{
	struct engine_options *opt = self;
	const struct model *m = engine_model(run);
	enum causal_mode mode = limits_mode(m, opt);
	const struct causal *hard = engine_causal(run, CAUSAL_HARD), *c = engine_causal(run, mode);
	struct candidates *candidates = candidates_new(m);
	struct found *found = syncp_search(m, c, candidates, opt, "races", out);
	struct trials *t = trials_new(&(struct trials_setup){
		.m = m,
		.candidates = candidates,
		.c = c,
		.is_strict = mode == CAUSAL_STRICT,
		/* By values a read may do without the write it saw, and what that needed. */
		.exact = opt->values ? hard : c,
		.opt = opt,
		.analysis = "races",
	});
	struct trials_count count;

	settle(t, found);
	found_free(found);
	trials_run(t, out, &count);
	if (!opt->all_pairs)
		trials_tell(t, hard, &count, out);
	trials_free(t);
	candidates_free(candidates);
	mem_free(opt);
}

const struct engine engine_races = {
	.name = "races",
	.summary = "all sound race engines: syncp, osr, exact",
	.needs_model = true,
	.sound = true,
	.begin = races_begin,
	.end = races_end,
};
