/*
 * The engine "waits", and the part of "deadlocks" that is about condition variables.
 *
 * Each pair of places is one finding.  For each a few instances are tried, however many the run
 * has: those are picked first, so cost is linear in waits and signals.
 */
#include "predict/waits_priv.h"

/* ---- a few instances ----
 *
 * The first few and the last few.  The last waits are the likely ones: fewer signals are left. 
 * The first ones have a short past, so a search sees all of it.
 */

#define HALF (LIMIT_TRIES / 2)

void waits_picks_release(struct waits_picks *p)
{
	map_release(&p->by_key);
	VEC_RELEASE(&p->at);
}

void waits_picks_add(struct waits_picks *p, uint64_t key, struct waits_item item)
{
	uint64_t *at = map_put(&p->by_key, key, NULL);
	struct waits_pick *k;

	if (*at == 0) {
		*VEC_PUSH(&p->at) = (struct waits_pick){ .key = key };
		*at = p->at.n;
	}
	k = &p->at.at[*at - 1];
	k->at[k->n < HALF ? k->n : HALF + k->n % HALF] = item;
	k->n++;
}

uint32_t waits_pick_count(const struct waits_pick *p)
{
	return p->n < LIMIT_TRIES ? (uint32_t)p->n : LIMIT_TRIES;
}

struct waits_item waits_pick_get(const struct waits_pick *p, uint32_t i)
{
	uint64_t number = p->n - 1 - i; /* of those that were met */

	if (i >= HALF && p->n > LIMIT_TRIES)
		number = LIMIT_TRIES - 1 - i;
	return p->at[number < HALF ? number : HALF + number % HALF];
}

/* ---- searching ----
 *
 * One goal, by searches that cost more and more: in observed order, with open sections moved, any
 * order.  Strict schedules first: in those, code that was not recorded cannot make a difference.
 */

static bool reach_observed(struct waits *s, const struct causal *c, const struct goal *g)
{
	if (!goal_reach(g, s->m, c, s->cut))
		return false;
	exact_order_observe(&s->order, s->m, s->cut);
	return true;
}

/* All pairs of places together had enough; a small budget for each is no reason to try fewer. */
static bool is_spent(const struct waits *s, uint64_t budget)
{
	uint64_t one = budget > LIMIT_EXACT_STEPS ? budget : LIMIT_EXACT_STEPS;

	return s->all_steps / LIMIT_WAITS > one;
}

static enum goal_outcome reach_exact(struct waits *s, const struct goal *g)
{
	uint64_t budget = s->opt.budget ? s->opt.budget : LIMIT_EXACT_STEPS;
	enum goal_outcome answer;

	if (s->steps > budget || is_spent(s, budget) || engine_stopped(&s->opt))
		return GOAL_UNDECIDED;
	answer = exact_reach(s->exact, g, &s->order);
	s->steps += exact_steps(s->exact);
	s->all_steps += exact_steps(s->exact);
	return answer;
}

static bool reach_cheaply(struct waits *s, const struct goal *g)
{
	if (reach_observed(s, s->strict, g) || osr_reach(s->osr_strict, g, &s->order) == GOAL_FOUND)
		return true;
	return s->osr &&
	       (reach_observed(s, s->c, g) || osr_reach(s->osr, g, &s->order) == GOAL_FOUND);
}

enum goal_outcome waits_reach(struct waits *s, const struct goal *g)
{
	enum goal_outcome outcome = GOAL_FOUND;

	if (!goal_is_possible(g, s->m, s->must, s->cut))
		return GOAL_REFUTED;
	if (!reach_cheaply(s, g))
		outcome = reach_exact(s, g);
	if (outcome == GOAL_FOUND)
		waits_order_note(s);
	return outcome;
}

/* ---- results ---- */

void waits_propose(struct waits *s, enum finding_kind kind, uint32_t e1, uint32_t e2,
		   const char *why)
{
	if (s->out->findings.at.n + 1 >= LIMIT_SIGNATURES)
		s->full = true;
	engine_propose(s->out, kind, s->engine, s->m, (const uint32_t[]){ e1, e2 }, 2,
		       why ? NULL : &s->order)
		->why = why;
}

void waits_tell(struct waits *s, enum finding_kind kind, uint32_t e1, uint32_t e2,
		enum waits_proof proof)
{
	waits_propose(s, kind, e1, e2,
		      proof == WAITS_NOT_OVER
			      ? "somebody may signal once more than in the recorded run"
			      : NULL);
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
	enum causal_mode mode = engine_mode(s->m, &s->opt);

	/* By values a test that was false and is false again would do, but whoever waits has seen
	 * more than that: right programs would be blamed.  So would they be by tests. */
	s->opt.values = false;
	s->strict = engine_causal(run, CAUSAL_STRICT);
	s->c = engine_causal(run, mode);
	s->osr_strict = osr_new(s->m, s->strict, true, s->opt.budget);
	if (mode == CAUSAL_DEP)
		s->osr = osr_new(s->m, s->c, false, s->opt.budget);
	s->must = engine_causal(run, engine_must(s->m, &s->opt));
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
	struct waits s = { .m = run->model, .opt = *opt, .engine = e, .out = out };

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
