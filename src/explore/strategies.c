#include "explore/strategies.h"

#include <sys/wait.h>

#include "explore/bounded.h"
#include "explore/chance.h"
#include "explore/guided.h"
#include "explore/minimise.h"

#define BOUND_MOST 2u /* preemptions, unless asked for */
#define ROUND 500u    /* runs by chance, of one kind */
#define FIRST 20u
#define IN_VAIN \
	3u /* runs that hang outside or are given up, at the beginning: so would all others */

static bool keeps_on(void *context, const struct search *s)
{
	struct strategies *x = context;

	talk_progress_of(&x->progress, s->strategy, s->runs, 0);
	if (s->runs >= IN_VAIN && s->outcomes[BATON_OUTSIDE] + s->outcomes[BATON_STILL] +
						  s->outcomes[BATON_TROUBLE] +
						  s->outcomes[BATON_TOO_MANY] ==
					  s->runs)
		return false;
	return (double)s->runs < (double)x->e->runs * x->until &&
	       talk_clock() < x->begun + (x->deadline - x->begun) * x->until;
}

uint64_t strategies_race(const struct shares_race *race, const struct explore_runner *r)
{
	const struct baton_step *steps = explore_steps(r);
	uint64_t a = hash_pair(steps[race->first].op.kind, steps[race->first].op.site);
	uint64_t b = hash_pair(steps[race->second].op.kind, steps[race->second].op.site);

	return a < b ? hash_pair(a, b) : hash_pair(b, a);
}

static bool is_known(const struct explore_result *out, uint64_t signature)
{
	for (size_t i = 0; i < out->races.n; i++)
		if (out->races.at[i].signature == signature)
			return true;
	return false;
}

/* Races do not end the search: they are told at its end.  A run in which words came to be shared has not
 * all of its steps. */
static void keep_races(struct strategies *x, const struct explore_runner *r)
{
	const struct baton_step *steps = explore_steps(r);

	if (r->head->grown)
		return;
	shares_find(&x->shares, r);
	for (size_t i = 0; i < x->shares.races.n; i++) {
		uint64_t signature = strategies_race(&x->shares.races.at[i], r);
		struct search_failure *f;

		if (x->shorten_until == 0)
			aims_race(&x->out->aims, steps[x->shares.races.at[i].first].op.site,
				  steps[x->shares.races.at[i].second].op.site, x->out->search.runs);
		if (is_known(x->out, signature))
			continue;
		f = VEC_PUSH(&x->out->races);
		*f = (struct search_failure){ .signature = signature,
					      .strategy = x->out->search.strategy,
					      .run = x->out->search.runs };
		for (uint32_t k = 0; k < r->head->nsteps; k++)
			*VEC_PUSH(&f->schedule) = steps[k].choice;
		f->nprefix = r->head->nsteps;
	}
}

#define HUNG_STEPS 100000u /* that are worth another run */

/* The first run that had no end, or in which a step had none, or that waits for a signal. */
static void keep_hung(struct strategies *x, const struct explore_runner *r)
{
	struct search_failure *f = &x->out->hung;
	uint32_t outcome = r->head->outcome;

	if ((outcome != BATON_OUTSIDE && outcome != BATON_TOO_LONG && outcome != BATON_STILL) ||
	    f->run != 0 || r->head->nsteps > HUNG_STEPS)
		return;
	f->run = x->out->search.runs;
	f->outcome = outcome;
	for (uint32_t k = 0; k < r->head->nsteps; k++)
		*VEC_PUSH(&f->schedule) = explore_steps(r)[k].choice;
	f->nprefix = r->head->nsteps;
}

static bool is_failure(void *context, const struct explore_runner *r, uint64_t *mark)
{
	struct strategies *x = context;

	x->out->awaited |= r->head->awaited != 0;
	x->out->forked |= r->head->forked != 0;
	x->out->stood |= r->head->outcome == BATON_STILL && baton_is_empty(&r->head->frozen);
	x->out->outside |= r->head->outside;
	x->out->unjudged |= r->verdict.is_unknown;
	keep_hung(x, r);
	if (r->head->outcome == BATON_TROUBLE)
		memcpy(x->out->trouble, r->head->trouble, sizeof(x->out->trouble));
	x->out->unlike |= r->head->unlike != 0;
	if (x->shorten_until == 0)
		aims_look(&x->out->aims, r, x->out->search.runs);
	if (search_is_whole(r) || !baton_is_empty(&r->head->frozen))
		keep_races(x, r);
	if (r->verdict.fault == EXPLORE_NO_FAULT && r->head->outcome == BATON_RAN &&
	    WIFEXITED(r->ended))
		return (uint32_t)WEXITSTATUS(r->ended) != x->e->wish.expected;
	return search_is_failure(NULL, r, mark);
}

/* With 0, 1, 2 preemptions and so on.  What is known of all runs goes to `complete'. */
static enum search_end search_bounded(struct strategies *x, uint32_t most)
{
	enum search_end all = SEARCH_WHOLE;

	for (uint32_t bound = x->out->bound; bound <= most; bound++) {
		struct bounded_counts counts = { 0 };
		enum search_end end;

		x->out->search.strategy = "bounded";
		end = bounded_search(&x->out->search, bound, &counts, x->d);
		if (end != SEARCH_WHOLE && end != SEARCH_PARTLY)
			return end;
		if (end == SEARCH_PARTLY)
			all = end;
		if (all == SEARCH_WHOLE)
			x->out->bound = bound + 1;
		if (counts.is_exhausted) {
			x->out->complete = all == SEARCH_WHOLE;
			break;
		}
	}
	return all;
}

static enum search_end search_dpor(struct strategies *x)
{
	struct dpor_counts counts = { 0 };
	enum search_end end;

	x->out->search.strategy = "dpor";
	end = dpor_search(&x->out->search, &counts, x->d);
	x->out->traces = counts.traces;
	x->out->complete |= end == SEARCH_WHOLE;
	return end;
}

static enum search_end search_by_chance(struct strategies *x, enum baton_policy policy,
					uint32_t depth, uint64_t runs)
{
	struct chance c = { .policy = policy, .depth = depth, .runs = runs };
	enum search_end end = chance_search(&x->out->search, &c, x->d);

	if (policy == BATON_PCT && end != SEARCH_TROUBLE) {
		x->out->missed = chance_missed(&c);
		x->out->depth = depth;
	}
	return end;
}

/* In turns, until there is no time any more. */
static enum search_end search_random(struct strategies *x)
{
	enum search_end end = SEARCH_WHOLE;

	while (end == SEARCH_WHOLE) {
		end = search_by_chance(x, BATON_RANDOM, 0, ROUND);
		if (end == SEARCH_WHOLE)
			end = search_by_chance(x, BATON_POS, 0, ROUND);
		if (end == SEARCH_WHOLE)
			end = search_by_chance(x, BATON_PCT, 3, ROUND);
	}
	return end;
}

/* Does it hang when it is shown?  Then it ends the search, and others come first. */
static bool hangs(const struct aim *a)
{
	return a->kind != FINDING_RACE && a->kind != FINDING_ATOMICITY;
}

/* Each in the schedule that the analysis has for it. */
static enum search_end search_forced(struct strategies *x)
{
	struct aims *a = &x->out->aims;
	enum search_end end = SEARCH_WHOLE;

	for (int last = 0; last < 2; last++)
		for (size_t i = 0; i < a->at.n && end == SEARCH_WHOLE; i++)
			if (a->at.at[i].course.at.n > 0 && a->at.at[i].run == 0 &&
			    hangs(&a->at.at[i]) == last)
				end = guided_force(&x->out->search, a, i, x->d);
	return end;
}

/* In the window that was asked for. */
static enum search_end search_window(struct strategies *x)
{
	struct dpor_counts counts;
	enum search_end end =
		guided_window(&x->out->search, &x->out->aims, &x->e->window, &counts, x->d);
	uint32_t n = x->out->search.threads, absent = n;
	bool all = true, everybody = true;

	for (uint32_t t = 0; t < n; t++)
		all &= baton_has(&x->e->window, t);
	for (uint32_t t = n; t < BATON_THREADS; t++)
		everybody &= baton_has(&x->e->window, t);
	while (absent < BATON_THREADS && !baton_has(&x->e->window, absent))
		absent++;
	x->out->absent = everybody || absent == BATON_THREADS ? 0 : absent + 1;
	if (end == SEARCH_WHOLE && all) {
		x->out->complete = true;
		x->out->traces = counts.traces;
	}
	return end;
}

/* In each window of the warnings; all of them have the same part of what there is until `until'. */
static enum search_end search_guided(struct strategies *x, double until)
{
	struct aims *a = &x->out->aims;
	enum search_end end = SEARCH_WHOLE;
	size_t nwindows = 0, n = 0;

	x->until = until;
	end = search_forced(x);
	if (end == SEARCH_FOUND || end == SEARCH_TROUBLE)
		return end;
	if (x->e->has_window)
		return search_window(x);
	for (size_t i = 0; i < a->at.n; i++)
		nwindows += a->at.at[i].first == i;
	for (size_t i = 0; i < a->at.n && !x->out->complete; i++) {
		struct dpor_counts counts;

		if (a->at.at[i].first != i)
			continue;
		x->until = until * (double)++n / (double)nwindows;
		end = guided_search(&x->out->search, a, i, &counts, x->d);
		if (end == SEARCH_FOUND || end == SEARCH_TROUBLE)
			return end;
		if (end == SEARCH_WHOLE && a->at.at[i].size == a->nthreads) {
			x->out->complete = true;
			x->out->traces = counts.traces;
		}
	}
	return end;
}

/* Nothing is left to look for. */
static bool is_over(const struct strategies *x, enum search_end end)
{
	return x->out->complete || end == SEARCH_FOUND || end == SEARCH_TROUBLE;
}

/*
 * One after the other; each has its part of the budget.  Bugs that are not deep show with few preemptions
 * or by chance; small programs are then searched completely; of the others nothing is ever known for sure.
 */
static enum search_end search_auto(struct strategies *x)
{
	enum search_end end;

	end = search_guided(x, 0.05);
	x->until = 0.1;
	if (!is_over(x, end))
		end = search_by_chance(x, BATON_RANDOM, 0, FIRST);
	if (!is_over(x, end))
		end = search_bounded(x, 1);
	x->until = 0.5;
	if (!is_over(x, end))
		end = search_dpor(x);
	x->until = 0.7;
	if (!is_over(x, end))
		end = search_bounded(x, x->e->bound ? (uint32_t)x->e->bound : BOUND_MOST);
	x->until = 1;
	return is_over(x, end) ? end : search_random(x);
}

static enum search_end search_as_asked(struct strategies *x)
{
	x->until = 1;
	switch (x->e->strategy) {
	case EXPLORE_GUIDED:
		return search_guided(x, 1);
	case EXPLORE_RANDOM:
		return search_by_chance(x, BATON_RANDOM, 0, x->e->runs);
	case EXPLORE_POS:
		return search_by_chance(x, BATON_POS, 0, x->e->runs);
	case EXPLORE_PCT:
		return search_by_chance(x, BATON_PCT, 3, x->e->runs);
	case EXPLORE_BOUNDED:
		return search_bounded(x, x->e->bound ? (uint32_t)x->e->bound : BOUND_MOST);
	case EXPLORE_DPOR:
		return search_dpor(x);
	default:
		return search_auto(x);
	}
}

#define SHORTEN_RUNS 2000u
#define SHORTEN_SECONDS 10.0
#define SHORTEN_PART 0.1

static bool shortens_on(void *context)
{
	const struct strategies *x = context;

	return talk_clock() < x->shorten_until;
}

/* What is left of the time, or a tenth of it all if that is more; and not for ever. */
static double shorten_deadline(const struct strategies *x)
{
	double now = talk_clock(), least = now + x->e->seconds * SHORTEN_PART;
	double until = x->deadline > least ? x->deadline : least;

	return until < now + SHORTEN_SECONDS ? until : now + SHORTEN_SECONDS;
}

/* To the fewest preemptions. */
static void shorten(struct strategies *x, struct search_failure *f)
{
	struct minimise m = { .runs = SHORTEN_RUNS, .context = x, .keeps_on = shortens_on };
	enum search_end end;

	x->shorten_until = x->out->search.runner->deadline = shorten_deadline(x);
	end = minimise_failure(&x->out->search, f, &m, x->d);
	if (end != SEARCH_TROUBLE && m.is_again) {
		VEC_CLEAR(&f->schedule);
		for (size_t i = 0; i < m.schedule.n; i++)
			*VEC_PUSH(&f->schedule) = m.schedule.at[i];
		f->preemptions = m.preemptions;
		f->nprefix = (uint32_t)m.schedule.n;
	}
	minimise_release(&m);
}

void strategies_search(void *arg, struct explore_runner *r)
{
	struct strategies *x = arg;
	struct search *s = &x->out->search;

	talk_progress_begin(&x->progress, "schedules", x->e->quiet);
	x->begun = talk_clock();
	s->runner = r;
	s->context = x;
	s->keeps_on = keeps_on;
	s->is_failure = is_failure;
	s->goes_on = x->e->all;
	s->seed = x->e->seed;
	r->head->all_accesses = x->e->all_accesses;
	r->deadline = x->deadline;
	x->out->end = search_as_asked(x);
	x->out->late = x->out->end == SEARCH_BUDGET && talk_clock() >= x->deadline;
	/* What another process does is not looked at, nor what else decides where a run goes. */
	x->out->complete &= !x->out->forked && !x->out->stood && s->outcomes[BATON_STRAYED] == 0;
	for (size_t i = 0; i < s->failures.n && x->out->end != SEARCH_TROUBLE; i++)
		if (!s->failures.at[i].is_short)
			shorten(x, &s->failures.at[i]);
	shares_release(&x->shares);
	x->out->seconds = talk_clock() - x->begun;
	talk_progress_end(&x->progress);
}
