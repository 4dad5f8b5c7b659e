/*
 * Searches in a window, of toys: what counts as a failure there, and that each is one of the whole program.
 */
#include "explore/guided.h"
#include "unit/explore_all.h"
#include "unit/tap.h"

struct looked {
	enum search_end end;
	struct dpor_counts counts;
	struct search search;
};

/* The threads of the window as bits. */
static void look(struct toy *toy, uint32_t window, bool all, struct looked *x)
{
	struct aims aims = { .nthreads = toy->program.nthreads };
	struct aim *a = VEC_PUSH(&aims.at);
	struct diag d = { { 0 } };

	*a = (struct aim){ .size = (uint32_t)__builtin_popcount(window) };
	for (uint32_t t = 0; t < toy->program.nthreads; t++)
		if (window >> t & 1)
			window_add(&a->window, t + 1, 1);
	*x = (struct looked){ .search = { .runner = &toy->runner, .goes_on = all } };
	x->end = guided_search(&x->search, &aims, 0, &x->counts, &d);
	if (!aims.at.at[0].is_tried || aims.at.at[0].end != x->end)
		x->end = SEARCH_TROUBLE;
	aims_release(&aims);
}

/* Runs the schedule with nobody frozen; true: it fails as it did. */
static bool fails_again(struct toy *toy, const struct search_failure *f)
{
	struct search s = { .runner = &toy->runner, .goes_on = true };
	struct search_ask ask = { .policy = BATON_GO_ON, .nprefix = f->nprefix };
	struct diag d = { { 0 } };
	bool good;

	memcpy(explore_choices(&toy->runner), f->schedule.at,
	       f->nprefix * sizeof(f->schedule.at[0]));
	good = search_run(&s, &ask, &d) == SEARCH_WHOLE && s.last_failed &&
	       s.last_signature == f->signature && toy->runner.head->nsteps == f->schedule.n;
	search_release(&s);
	return good;
}

static void begin(struct toy *toy, const char *const *threads)
{
	toy_clear(toy);
	for (; *threads; threads++)
		toy_add(&toy->program, *threads);
}

static void test_deadlock(struct toy *toy)
{
	struct looked x;

	begin(toy, (const char *const[]){ "join:1 join:2 join:3", "lock:a lock:b unlock:b unlock:a",
					  "lock:b lock:a unlock:a unlock:b",
					  "lock:e unlock:e lock:e unlock:e", NULL });
	look(toy, 7, false, &x);
	TAP_EQ(x.end, SEARCH_FOUND, "a deadlock in the window is found");
	TAP_EQ(x.search.failures.n, 1, "once");
	TAP_EQ(x.search.failures.at[0].outcome, BATON_DEADLOCK, "it is one");
	TAP_STR(x.search.failures.at[0].strategy, "guided", "found by this strategy");
	TAP_OK(x.search.failures.at[0].nprefix < x.search.failures.at[0].schedule.n,
	       "the schedule is that of the window, and goes on");
	TAP_OK(fails_again(toy, &x.search.failures.at[0]), "with everybody it is one, too");
	search_release(&x.search);
	look(toy, 7, true, &x);
	TAP_EQ(x.end, SEARCH_WHOLE, "the search goes on behind it");
	TAP_EQ(x.search.runs, 4, "three orders, and the one that hangs goes on with everybody");
	search_release(&x.search);
}

static void test_excuses(struct toy *toy)
{
	struct looked x;

	begin(toy,
	      (const char *const[]){ "join:1 join:2", "lock:a unlock:a", "lock:a unlock:a", NULL });
	look(toy, 3, false, &x);
	TAP_EQ(x.end, SEARCH_WHOLE, "who joins one that is frozen has an excuse");
	TAP_EQ(x.search.failures.n, 0, "no failure");
	TAP_EQ(x.search.runs, 1, "and nothing is run again for it");
	search_release(&x.search);

	begin(toy, (const char *const[]){ "join:1", "join:2", "lock:a unlock:a", NULL });
	look(toy, 3, false, &x);
	TAP_EQ(x.search.runs, 1, "nor for who joins him");
	search_release(&x.search);

	begin(toy, (const char *const[]){ "join:1 join:2", "down:s", "up:s", NULL });
	look(toy, 3, false, &x);
	TAP_EQ(x.end, SEARCH_WHOLE, "who waits for a post of one that is frozen");
	TAP_EQ(x.search.failures.n, 0, "gets it when all go on");
	TAP_EQ(x.search.runs, 2, "which is a run more");
	search_release(&x.search);
}

/* Whatever the window, every failure is one of the program; in that of all threads none is missing. */
static void test_random(struct toy *toy)
{
	unsigned long n = tap_rounds(300, 5000), unreal = 0, missed = 0, found = 0;
	uint64_t random = 11;

	for (unsigned long i = 0; i < n; i++) {
		uint32_t nthreads = 2 + i % 3, all = (1u << nthreads) - 1;
		struct looked whole, part;

		toy_clear(toy);
		toy_random(&toy->program, &random, nthreads, 9);
		look(toy, all, true, &whole);
		look(toy, (uint32_t)(random >> 40) & all, true, &part);
		for (size_t k = 0; k < part.search.failures.n; k++) {
			bool known = false;

			for (size_t m = 0; m < whole.search.failures.n; m++)
				known |= whole.search.failures.at[m].signature ==
					 part.search.failures.at[k].signature;
			missed += !known;
			unreal += !fails_again(toy, &part.search.failures.at[k]);
			found++;
		}
		search_release(&whole.search);
		search_release(&part.search);
	}
	TAP_EQ(unreal, 0, "failures of windows are failures of the program");
	TAP_EQ(missed, 0, "and the window of all threads has them all");
	TAP_OK(found > n / 50 || n < 100, "there were some: %lu", found);
}

int main(void)
{
	struct toy *toy = toy_new(1000);

	test_deadlock(toy);
	test_excuses(toy);
	test_random(toy);
	toy_free(toy);
	return tap_done();
}
