/*
 * The engine "waits", and the part of "deadlocks" that is about condition variables.
 *
 * Each pair of places is one finding.  For each a few instances are tried, however many the run
 * has: those are picked first, so cost is linear in waits and signals.
 */
#include "predict/waits.h"

#include "base/mem.h"
#include "predict/limits.h"
#include "predict/propose.h"
#include "predict/waits_priv.h"

struct finding *waits_propose(struct waits *s, enum finding_kind kind, uint32_t e1, uint32_t e2)
{
	const struct model *m = s->m;
	struct finding *f;

	if (s->out->findings.at.n + 1 >= LIMIT_SIGNATURES)
		s->full = true;
	f = findings_add(&s->out->findings, kind, s->engine);
	finding_add_event(f, m->base + e1, m->event[e1].site, m->event[e1].op);
	finding_add_event(f, m->base + e2, m->event[e2].site, m->event[e2].op);
	return f;
}

struct finding *waits_propose_order(struct waits *s, enum finding_kind kind, uint32_t e1,
				    uint32_t e2)
{
	struct finding *f = waits_propose(s, kind, e1, e2);

	f->claimed = true;
	propose_schedule(s->m, s->order.observed.n ? s->order.observed.at : NULL, s->order.ids.at,
			 s->order.ids.n, &f->schedule);
	return f;
}

void waits_count(struct waits *s, enum goal_outcome outcome)
{
	engine_count(&s->out->counts, outcome);
	s->undecided += outcome == GOAL_UNDECIDED;
}

bool waits_is_over(const struct waits *s)
{
	return s->full || engine_stopped(&s->opt);
}

static void search_begin(struct waits *s, struct engine_run *run)
{
	enum causal_mode mode = limits_mode(s->m, &s->opt);

	/* By values a test that was false and is false again would do, but whoever waits has seen
	 * more than that: right programs would be blamed. */
	s->opt.values = false;
	s->strict = engine_causal(run, CAUSAL_STRICT);
	s->c = engine_causal(run, mode);
	s->osr_strict = osr_new(s->m, s->strict, true, s->opt.budget);
	if (mode == CAUSAL_DEP)
		s->osr = osr_new(s->m, s->c, false, s->opt.budget);
	s->must = engine_causal(run, limits_must(s->m, &s->opt));
	s->exact = exact_new(s->m, s->must, &s->opt);
	s->cut = mem_zalloc(((size_t)s->m->nchains + 1) * sizeof(*s->cut));
}

static void search_end(struct waits *s)
{
	osr_free(s->osr_strict);
	osr_free(s->osr);
	exact_free(s->exact);
	exact_order_release(&s->order);
	map_release(&s->at);
	mem_free(s->cut);
}

static void say_limits(const struct waits *s)
{
	if (s->full)
		texts_add(&s->out->truncated,
			  "%s: more than %u pairs of places; the first ones are shown",
			  s->engine->name, LIMIT_SIGNATURES);
	else if (s->undecided > 0 && !engine_stopped(&s->opt))
		texts_add(&s->out->truncated,
			  "%s: budget spent on %llu condition waits and signals", s->engine->name,
			  (unsigned long long)s->undecided);
}

void waits_search(const struct engine *e, struct engine_run *run, const struct engine_options *opt,
		  struct engine_result *out)
{
	struct waits s = { .m = engine_model(run), .opt = *opt, .engine = e, .out = out };

	out->counted = true;
	waits_index_make(&s.index, s.m);
	if (s.index.waits.n != 0 && (s.index.signals.n != 0 || s.index.requests.n != 0)) {
		search_begin(&s, run);
		waits_lost(&s);
		waits_holding(&s);
		say_limits(&s);
		search_end(&s);
	}
	waits_index_release(&s.index);
}

const struct engine engine_waits = {
	.name = "waits",
	.summary = "lost wakeups, and condition waits that hold another lock",
	.aim = ENGINE_WAITS,
	.proof = ENGINE_PROVES,
	.search = waits_search,
};
