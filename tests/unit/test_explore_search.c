/*
 * Bounded preemptions against plain enumeration, by count; schedules by chance; and the shortest schedule of a
 * failure, which enumeration knows.
 */
#include "explore/bounded.h"
#include "explore/chance.h"
#include "explore/dpor.h"
#include "explore/minimise.h"
#include "unit/explore_all.h"
#include "unit/tap.h"

/* ---- bounded ---- */

static bool never(void *context, const struct explore_runner *r, uint64_t *mark)
{
	const struct toy *toy = (const struct toy *)r;

	(void)mark;
	map_put(context, explore_all_end(&toy->state), NULL);
	return false;
}

/* With each bound as many runs as there are interleavings with so few preemptions. */
static bool bounded_agrees(struct toy *toy)
{
	struct explore_all all;
	MAP_SCOPED ends = { 0 };
	uint64_t want = 0;
	bool good = true, is_exhausted = false;

	explore_all(&toy->program, &all);
	for (uint32_t c = 0; c < EXPLORE_ALL_MOST && good && !is_exhausted; c++) {
		struct search s = { .runner = &toy->runner,
				    .context = &ends,
				    .is_failure = never,
				    .goes_on = true };
		struct bounded_counts counts;
		struct diag d = { { 0 } };

		want += all.by_preemptions[c];
		good = bounded_search(&s, c, &counts, &d) == SEARCH_WHOLE && counts.runs == want;
		is_exhausted = counts.is_exhausted;
		good = good && is_exhausted == (want == all.runs);
		search_release(&s);
	}
	good = good && is_exhausted && ends.n == all.ends.n;
	explore_all_release(&all);
	return good;
}

static void test_bounded(struct toy *toy)
{
	unsigned long n = tap_rounds(150, 5000), bad = 0;
	uint64_t random = 3;

	for (unsigned long i = 0; i < n; i++) {
		toy_clear(toy);
		toy->program.goes_on = i % 2;
		toy_random(&toy->program, &random, 2 + i % 2, 5 + i % 3);
		bad += !bounded_agrees(toy);
	}
	TAP_EQ(bad, 0, "%lu random programs with 0, 1, 2, ... preemptions", n);
}

/* ---- chance ---- */

struct tally {
	uint64_t sum, runs, most;
};

static bool add_up(void *context, const struct explore_runner *r, uint64_t *mark)
{
	struct tally *t = context;

	(void)mark;
	for (uint32_t i = 0; i < r->head->nsteps; i++)
		t->sum = hash_pair(t->sum, explore_steps(r)[i].choice.thread + 1);
	return r->head->outcome == BATON_DEADLOCK;
}

static bool keeps_on(void *context, const struct search *s)
{
	const struct tally *t = context;

	return t->most == 0 || s->runs < t->most;
}

static void needs_preemption(struct toy *toy)
{
	toy_clear(toy);
	toy_add(&toy->program, "lock:m lock:n unlock:n unlock:m read:x write:x=1");
	toy_add(&toy->program, "lock:n lock:m unlock:m unlock:n read:x write:x=2");
}

static enum search_end by_chance(struct toy *toy, struct chance c, uint64_t seed, struct tally *t,
				 uint64_t *found)
{
	struct search s = { .runner = &toy->runner,
			    .context = t,
			    .is_failure = add_up,
			    .goes_on = true,
			    .seed = seed };
	struct diag d = { { 0 } };
	enum search_end end = chance_search(&s, &c, &d);

	*found = s.outcomes[BATON_DEADLOCK];
	t->runs = s.runs;
	search_release(&s);
	return end;
}

static void test_chance(struct toy *toy)
{
	static const struct {
		const char *name;
		struct chance chance;
		bool finds;
	} tries[] = {
		{ "random walk", { .policy = BATON_RANDOM, .runs = 200 }, true },
		{ "POS", { .policy = BATON_POS, .runs = 200 }, true },
		{ "PCT 1", { .policy = BATON_PCT, .depth = 1, .runs = 200 }, false },
		{ "PCT 2", { .policy = BATON_PCT, .depth = 2, .runs = 200 }, true },
		{ "PCT 3", { .policy = BATON_PCT, .depth = 3, .runs = 200 }, true },
	};

	needs_preemption(toy);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct tally first = { 0 }, again = { 0 }, other = { 0 };
		uint64_t found, found_again, found_other;

		TAP_EQ(by_chance(toy, tries[i].chance, 7, &first, &found), SEARCH_WHOLE,
		       "%s: all runs are done", tries[i].name);
		by_chance(toy, tries[i].chance, 7, &again, &found_again);
		by_chance(toy, tries[i].chance, 8, &other, &found_other);
		TAP_EQ(found != 0, tries[i].finds, "%s: finds what needs a preemption, or cannot",
		       tries[i].name);
		TAP_OK(first.sum == again.sum && found == found_again,
		       "%s: the same seed gives the same schedules", tries[i].name);
		TAP_OK(first.sum != other.sum, "%s: another gives others", tries[i].name);
	}
}

static void test_missed(void)
{
	struct chance c = { .depth = 2, .threads = 2, .steps = 10, .done = 100 };

	/* 0.95 ^ 100 */
	TAP_EQ((long long)(chance_missed(&c) * 1e9), 5920529, "PCT: what 100 runs miss");
	c.done = 0;
	TAP_EQ((long long)(chance_missed(&c) * 1e9), 1000000000, "PCT: no runs miss everything");
	c = (struct chance){ .depth = 1, .threads = 1, .steps = 10, .done = 1 };
	TAP_EQ((long long)(chance_missed(&c) * 1e9), 0, "PCT: one thread has one order");
	c = (struct chance){ .depth = 3, .threads = 4, .steps = 50, .done = 3 };
	/* 1 - 3e-4 + 3e-8 - 1e-12 */
	TAP_EQ((long long)(chance_missed(&c) * 1e9 + 0.5), 999700030, "PCT: three runs");
}

/* ---- what ends a search ---- */

static void test_ends(struct toy *toy)
{
	struct tally t = { .most = 50 };
	struct search s = { .runner = &toy->runner,
			    .context = &t,
			    .keeps_on = keeps_on,
			    .is_failure = add_up,
			    .seed = 1 };
	struct chance c = { .policy = BATON_RANDOM, .runs = 1000 };
	struct bounded_counts counts;
	struct diag d = { { 0 } };

	needs_preemption(toy);
	TAP_EQ(chance_search(&s, &c, &d), SEARCH_FOUND, "the first failure stops the search");
	TAP_EQ(s.failures.n, 1, "and is kept");
	TAP_EQ(s.failures.at[0].run, s.runs, "with its run");
	TAP_STR(s.failures.at[0].strategy, "random", "and the strategy that found it");
	s.goes_on = true;
	TAP_EQ(chance_search(&s, &c, &d), SEARCH_BUDGET, "the budget ends one that goes on");
	TAP_EQ(s.runs, 50, "after so many runs, those before it included");
	TAP_EQ(bounded_search(&s, 1, &counts, &d), SEARCH_BUDGET, "and leaves none for the next");
	TAP_EQ(counts.runs, 0, "which does nothing");
	search_release(&s);
}

/* Failures that differ in where threads wait are two; the same one is one. */
static void test_failures(struct toy *toy)
{
	struct search s = { .runner = &toy->runner, .goes_on = true };
	struct dpor_counts counts;
	struct diag d = { { 0 } };

	toy_clear(toy);
	toy_add(&toy->program, "lock:m lock:n unlock:n unlock:m lock:a lock:b unlock:b unlock:a");
	toy_add(&toy->program, "lock:n lock:m unlock:m unlock:n lock:b lock:a unlock:a unlock:b");
	TAP_EQ(dpor_search(&s, &counts, &d), SEARCH_WHOLE, "two deadlocks: all is searched");
	TAP_EQ(s.failures.n, 2, "two deadlocks: both are kept");
	TAP_OK(s.outcomes[BATON_DEADLOCK] > 2, "two deadlocks: though there are more runs");
	search_release(&s);
}

/* ---- minimising ---- */

/* The schedule, run again, must fail so; and have no better, as enumeration says. */
static bool is_least(struct toy *toy, const struct explore_all *all, const struct minimise *m)
{
	struct search s = { .runner = &toy->runner, .goes_on = true };
	struct search_ask ask = { .policy = BATON_GO_ON, .nprefix = m->nprefix };
	struct diag d = { { 0 } };
	const uint64_t *least;

	for (uint32_t i = 0; i < m->nprefix; i++)
		explore_choices(&toy->runner)[i] = m->schedule.at[i];
	if (search_run(&s, &ask, &d) != SEARCH_WHOLE || toy->runner.head->nsteps != m->schedule.n)
		return false;
	search_release(&s);
	least = map_get(&all->failures, explore_all_failure(&toy->program, &toy->state));
	return least != NULL && *least == EXPLORE_ALL_LEAST(m->preemptions, m->schedule.n);
}

/* Of the deadlocks of a program that a random walk sees. */
static void minimise_all(struct toy *toy, uint64_t *failures, uint64_t *bad)
{
	struct tally t = { 0 };
	struct search s = { .runner = &toy->runner,
			    .context = &t,
			    .is_failure = add_up,
			    .goes_on = true,
			    .seed = 5 };
	struct chance c = { .policy = BATON_RANDOM, .runs = 20 };
	struct diag d = { { 0 } };
	struct explore_all all;

	explore_all(&toy->program, &all);
	chance_search(&s, &c, &d);
	for (size_t i = 0; i < s.failures.n; i++) {
		struct minimise m = { .runs = 100000 };

		(*failures)++;
		if (minimise_failure(&s, &s.failures.at[i], &m, &d) != SEARCH_WHOLE ||
		    !m.is_least || !is_least(toy, &all, &m))
			(*bad)++;
		minimise_release(&m);
	}
	search_release(&s);
	explore_all_release(&all);
}

static void test_minimise(struct toy *toy)
{
	unsigned long n = tap_rounds(500, 5000);
	uint64_t random = 4, failures = 0, bad = 0;

	for (unsigned long i = 0; i < n; i++) {
		toy_clear(toy);
		toy->program.goes_on = true;
		toy_random(&toy->program, &random, 2 + i % 2, 6 + i % 3);
		minimise_all(toy, &failures, &bad);
	}
	TAP_OK(failures > n / 10, "%llu deadlocks in %lu random programs",
	       (unsigned long long)failures, n);
	TAP_EQ(bad, 0, "each has its shortest schedule");
}

/* Without the means to try all, cutting must do: a long random schedule comes down to its point. */
static void test_cutting(struct toy *toy)
{
	struct tally t = { 0 };
	struct search s = {
		.runner = &toy->runner, .context = &t, .is_failure = add_up, .seed = 11
	};
	struct chance c = { .policy = BATON_RANDOM, .runs = 1000 };
	struct minimise m = { .runs = 150 };
	struct diag d = { { 0 } };

	toy_clear(toy);
	toy_add(&toy->program,
		"read:a write:b=1 read:c write:d=1 read:a write:b=1 read:c write:d=1 "
		"lock:m lock:n unlock:n unlock:m");
	toy_add(&toy->program,
		"write:a=1 read:b write:c=1 read:d write:a=1 read:b write:c=1 read:d "
		"lock:n lock:m unlock:m unlock:n");
	toy_add(&toy->program,
		"write:a=1 read:b write:c=1 read:d write:a=1 read:b write:c=1 read:d");
	TAP_EQ(chance_search(&s, &c, &d), SEARCH_FOUND, "a deadlock behind much else");
	TAP_OK(s.failures.at[0].preemptions > 5, "by many preemptions, %u",
	       s.failures.at[0].preemptions);
	TAP_EQ(minimise_failure(&s, &s.failures.at[0], &m, &d), SEARCH_BUDGET,
	       "cut down in %llu runs", (unsigned long long)m.done);
	TAP_OK(m.is_again && !m.is_least, "it is there again, and not known to be the shortest");
	TAP_EQ(m.preemptions, 1, "one preemption is left");
	minimise_release(&m);
	search_release(&s);
}

int main(void)
{
	struct toy *toy = toy_new(100);

	test_bounded(toy);
	test_chance(toy);
	test_missed();
	test_ends(toy);
	test_failures(toy);
	test_minimise(toy);
	test_cutting(toy);
	toy_free(toy);
	return tap_done();
}
