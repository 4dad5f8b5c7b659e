/*
 * Races by refinement checks of a process network (compare/csp.h), one search for each variable and
 * pair of threads.
 *
 * Complete for what program order, fork, join, locks, semaphores and hard edges forbid, as long as the
 * budget lasts; not sound, for it does not look at data: what it finds may be ordered by what a thread
 * has read (tests/csp/c06_message_through_a_lock.case).  So its findings are warnings with an order
 * to try (ENGINE_TRIES).  The checker decides about it; where it refuses, csp_retry asks the exact search
 * whether there is another one.
 *
 * The sync-preserving closure of a few pairs of the check is asked first, which is quick and finds most of what
 * there is, by an order that the checker likes: it is near to the observed one.  And of more pairs, where a search is
 * not over within its budget.
 */
#include "compare/csp.h"

#include "predict/engine.h"

#define RETRIES 256u /* pairs of accesses that are tried for one finding */
#define FIRST 16u    /* before the search */
#define LEAST_STATES 200u

struct run {
	const struct engine *engine;
	const struct csp *csp;
	const struct engine_options *opt;
	struct engine_result *out;
	struct exact_order order;
	uint64_t left; /* states of all searches to come */
	uint64_t unfinished;
};

/* By one of the first so many pairs. */
static bool reach_quickly(struct run *r, const struct csp_check *check, uint32_t most,
			  uint32_t *event)
{
	VEC_SCOPED struct csp_accesses a = { 0 }, b = { 0 };
	uint32_t tries = 0;

	csp_accesses(r->csp, check->cell, check->tid[0], &a);
	csp_accesses(r->csp, check->cell, check->tid[1], &b);
	for (size_t i = 0; i < a.at.n && tries < most; i++) {
		for (size_t j = 0; j < b.at.n && tries < most; j++) {
			struct goal goal = { .next = event, .nnext = 2 };
			uint32_t *cut;

			event[0] = a.at.at[i].e;
			event[1] = b.at.at[j].e;
			if (!model_conflict(r->csp->m, event[0], event[1]))
				continue;
			tries++;
			cut = exact_order_clear(&r->order, r->csp->m);
			if (goal_reach(&goal, r->csp->m, r->csp->hard, cut) &&
			    (!r->csp->counts || csp_allows(r->csp, event, cut)))
				return true;
		}
	}
	return false;
}

/* Of the searches that are to come this is one of n.  Most of those that do not end soon do not end at all, so
 * each has its share, unless somebody has said how much. */
static uint64_t states_for(const struct run *r, uint64_t n)
{
	uint64_t most = r->opt->budget ? r->opt->budget : LIMIT_CSP_STATES;
	uint64_t share = r->left / n > LEAST_STATES ? r->left / n : LEAST_STATES;

	if (!r->opt->budget && most > share)
		most = share;
	return most < r->left ? most : r->left;
}

static void run_check(struct run *r, const struct csp_check *check, uint64_t most)
{
	struct csp_result result = { 0 };
	enum goal_outcome outcome = GOAL_FOUND;

	if (!reach_quickly(r, check, FIRST, result.event)) {
		outcome = csp_search_check(r->csp, check, most, r->opt, &result, &r->order);
		r->left -= result.states < r->left ? result.states : r->left;
	}
	if (outcome == GOAL_UNDECIDED && reach_quickly(r, check, RETRIES, result.event))
		outcome = GOAL_FOUND;
	if (outcome == GOAL_FOUND)
		engine_propose(r->out, FINDING_RACE, r->engine, r->csp->m, result.event, 2,
			       &r->order);
	r->unfinished += outcome == GOAL_UNDECIDED;
}

static void say_limits(const struct run *r, uint64_t done, const struct csp_checks *checks)
{
	struct texts *out = &r->out->truncated;
	const char *name = r->engine->name;
	uint64_t all = checks->at.n + checks->left_out;

	if (r->unfinished && !engine_stopped(r->opt))
		texts_add(out,
			  "%s: %" PRIu64 " of %" PRIu64
			  " checks not finished: too many states (--budget)",
			  name, r->unfinished, all);
	if (done < all && !engine_stopped(r->opt))
		texts_add(out, "%s: only the first %" PRIu64 " of %" PRIu64 " checks were made",
			  name, done, all);
}

void csp_search(const struct engine *e, struct engine_run *run, const struct engine_options *opt,
		struct engine_result *out)
{
	struct csp *c = csp_new(run->model, engine_causal(run, CAUSAL_HARD));
	struct run r = { .engine = e, .csp = c, .opt = opt, .out = out, .left = LIMIT_CSP_ALL };
	VEC_SCOPED struct csp_checks checks = { 0 };
	size_t i;

	csp_checks(c, false, &checks);
	for (i = 0; i < checks.at.n && r.left > 0 && out->findings.at.n < LIMIT_SIGNATURES &&
		    !engine_stopped(opt);
	     i++) {
		run_check(&r, &checks.at.at[i], states_for(&r, checks.at.n - i));
		engine_progress(opt, e, i, checks.at.n);
	}
	say_limits(&r, i, &checks);
	out->counted = true;
	out->counts.checks = i;
	exact_order_release(&r.order);
	csp_free(c);
}

/* ---- what the checker has refused ---- */

struct csp_retry {
	struct engine_run *run;
	struct engine_options opt;
	struct exact *exact;
	struct exact_order order;
};

struct csp_retry *csp_retry_new(const struct model *m, const struct engine_options *opt)
{
	struct csp_retry *r = mem_zalloc(sizeof(*r));
	bool values = opt->values;

	r->opt = *opt;
	r->run = engine_run_new(m);
	r->exact = exact_new(
		m, engine_causal(r->run, values ? CAUSAL_HARD : engine_must(m, &r->opt)), &r->opt);
	return r;
}

void csp_retry_free(struct csp_retry *r)
{
	exact_free(r->exact);
	exact_order_release(&r->order);
	engine_run_free(r->run);
	mem_free(r);
}

struct tuples {
	VEC(uint32_t) at; /* two each */
};

static bool shares(const struct model *m, uint32_t e, uint32_t cell)
{
	const struct model_touch *touch = m->touches + m->event[e].touch;
	uint32_t n = model_ntouches(m, e);
	uint32_t i = SEARCH_PAST(k, 0, n, touch[k].cell < cell);

	return i < n && touch[i].cell == cell;
}

/* Pairs of accesses of the cell by these threads that conflict; false: not all of them. */
static bool list_pairs(const struct model *m, uint32_t cell, const uint32_t *tid,
		       struct tuples *out)
{
	struct model_list list = model_cell(m, cell);

	for (uint32_t i = 0; i < list.n; i++) {
		for (uint32_t j = 0; j < list.n && m->event[list.at[i]].tid == tid[0]; j++) {
			if (m->event[list.at[j]].tid != tid[1] ||
			    !model_conflict(m, list.at[i], list.at[j]))
				continue;
			if (out->at.n == (size_t)2 * RETRIES)
				return false;
			*VEC_PUSH(&out->at) = list.at[i];
			*VEC_PUSH(&out->at) = list.at[j];
		}
	}
	return true;
}

/* Of all cells that the two have in common. */
static bool list_all_pairs(const struct model *m, uint32_t a, uint32_t b, struct tuples *out)
{
	const struct model_touch *touch = m->touches + m->event[a].touch;
	uint32_t tid[] = { m->event[a].tid, m->event[b].tid };

	for (uint32_t i = 0; i < model_ntouches(m, a); i++)
		if (shares(m, b, touch[i].cell) && !list_pairs(m, touch[i].cell, tid, out))
			return false;
	return true;
}

/* The finding is about these two. */
static void rename_events(const struct model *m, const uint32_t *event, struct finding *f)
{
	f->nevents = 0;
	for (int i = 0; i < 2; i++)
		finding_add_event(f, m->base + event[i], m->event[event[i]].site,
				  m->event[event[i]].op);
}

enum goal_outcome csp_retry(struct csp_retry *r, struct finding *f)
{
	const struct model *m = r->run->model;
	uint32_t a = (uint32_t)(f->events[0] - m->base), b = (uint32_t)(f->events[1] - m->base);
	uint32_t last = 0;
	VEC_SCOPED struct tuples pairs = { 0 };
	/* The two themselves come first: most often they are what another order leads to. */
	struct goals goals = { .stride = 2 * sizeof(uint32_t), .size = 2 };
	enum goal_outcome outcome;

	*VEC_PUSH(&pairs.at) = a;
	*VEC_PUSH(&pairs.at) = b;
	goals.complete = list_all_pairs(m, a, b, &pairs);
	goals.at = pairs.at.at;
	goals.n = (uint32_t)pairs.at.n / 2;
	outcome = exact_try(r->exact, &goals, &r->order, &last);
	if (outcome != GOAL_FOUND)
		return outcome;
	rename_events(m, pairs.at.at + (size_t)2 * last, f);
	engine_schedule(m, &r->order, &f->schedule);
	return outcome;
}
