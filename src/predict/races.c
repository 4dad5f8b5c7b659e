/*
 * The engine "races": the sound engines one after the other, each on what the ones before have
 * left; and two of its stages alone, "osr" and "exact".
 *
 *	candidates	locks and hard edges allow it
 *	syncp		in observed order; cheap, decides whole classes; strictly, then by facts
 *	osr		some sections reversed; one pair after the other
 *	exact		any reordering; a budget for each pair of places
 *
 * Each finding has a schedule.  What has none is counted: refuted when every pair of accesses of
 * the two places was shown impossible, by what must run before what or by exact search.
 */
#include "base/map.h"
#include "predict/candidates.h"
#include "predict/engine.h"
#include "predict/found.h"
#include "predict/limits.h"
#include "predict/syncp.h"
#include "predict/trials.h"

static void settle(struct trials *t, const struct found *f)
{
	for (size_t i = 0; i < found_count(f); i++) {
		const struct found_pair *p = found_at(f, i);

		trials_settle(t, p->e1, p->e2, p->signature);
	}
}

/* What tells two proposals apart: the pair, or only its places. */
static uint64_t proposal_key(const struct engine_options *opt, const struct finding *f)
{
	return opt->all_pairs ? f->events[0] << 32 ^ f->events[1] : finding_signature(f);
}

/* Moves to out what it does not have yet. */
static void add_new(const struct engine_options *opt, struct engine_result *more,
		    struct engine_result *out)
{
	struct map known = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < out->findings.at.n; i++)
		map_put(&known, proposal_key(opt, &out->findings.at.at[i]), NULL);
	for (size_t i = 0; i < more->findings.at.n; i++) {
		struct finding *f = &more->findings.at.at[i];

		if (map_get(&known, proposal_key(opt, f)))
			schedule_release(&f->schedule);
		else
			more->findings.at.at[kept++] = *f;
	}
	more->findings.at.n = kept;
	findings_move(&out->findings, &more->findings);
	texts_move(&out->truncated, &more->truncated);
	map_release(&known);
	engine_result_release(more);
}

/*
 * A schedule in which every read keeps its write is worth more than one in which some do not:
 * code that was not recorded cannot spoil it.  So those are looked for first, where that is cheap.
 */
static void search_syncp(struct trials *t, const struct trials_setup *s, enum causal_mode mode,
			 struct engine_result *out)
{
	struct engine_result more = { 0 };
	struct found *found;

	if (mode == CAUSAL_DEP)
		found_free(
			syncp_search(s->m, CAUSAL_STRICT, s->candidates, s->opt, s->engine, out));
	found = syncp_search(s->m, mode, s->candidates, s->opt, s->engine, &more);
	add_new(s->opt, &more, out);
	settle(t, found);
	found_free(found);
}

/* races tries all, osr the reversal alone, exact the search in windows alone. */
static void try_all(const struct trials_setup *s, struct engine_run *run, struct engine_result *out)
{
	bool osr = s->engine != &engine_exact, exact = s->engine != &engine_osr;
	enum causal_mode mode = limits_mode(s->m, s->opt);
	const struct causal *hard = exact ? engine_causal(run, CAUSAL_HARD) : NULL;
	struct trials_setup how = *s;
	struct trials *t;

	how.c = osr ? engine_causal(run, mode) : NULL;
	how.is_strict = osr && mode == CAUSAL_STRICT;
	/* By values a read may do without the write it saw, and what that needed. */
	how.exact = !exact || s->opt->values ? hard : engine_causal(run, limits_must(s->m, s->opt));
	t = trials_new(&how);
	if (osr && exact)
		search_syncp(t, s, mode, out);
	trials_run(t, hard, out);
	trials_free(t);
}

static void search(const struct engine *e, struct engine_run *run, const struct engine_options *opt,
		   struct engine_result *out)
{
	const struct model *m = engine_model(run);
	struct candidates *candidates = candidates_new(m);
	struct trials_setup setup = { .m = m, .candidates = candidates, .opt = opt, .engine = e };

	out->counted = e != &engine_osr && !opt->all_pairs;
	if (candidates_npieces(candidates) > 0)
		try_all(&setup, run, out);
	candidates_free(candidates);
}

const struct engine engine_osr = {
	.name = "osr",
	.summary = "races by optimistic reversal of critical sections",
	.aim = ENGINE_RACES,
	.proof = ENGINE_PROVES,
	.search = search,
};

const struct engine engine_exact = {
	.name = "exact",
	.summary = "races by exact search in windows of the trace",
	.aim = ENGINE_RACES,
	.proof = ENGINE_PROVES,
	.search = search,
};

const struct engine engine_races = {
	.name = "races",
	.summary = "all sound race engines: syncp, osr, exact",
	.aim = ENGINE_RACES,
	.proof = ENGINE_PROVES,
	.usual = true,
	.search = search,
};
