/*
 * DPOR against plain enumeration: as many runs as there are traces, and the same ends.
 *
 * The numbers are those of the handbook, or were counted by hand; both searches must give them.
 */
#include "explore/dpor.h"
#include "unit/explore_all.h"
#include "unit/tap.h"

struct seen {
	const struct toy *toy;
	struct map ends, failures;
	uint64_t deadlocks;
};

static bool look(void *context, const struct explore_runner *r, uint64_t *mark)
{
	struct seen *s = context;
	uint64_t failure;

	(void)mark;
	if (r->head->outcome == BATON_BLOCKED)
		return false;
	map_put(&s->ends, explore_all_end(&s->toy->state), NULL);
	failure = explore_all_failure(&s->toy->program, &s->toy->state);
	if (failure != 0)
		map_put(&s->failures, failure, NULL);
	s->deadlocks += r->head->outcome == BATON_DEADLOCK;
	return false;
}

static bool is_subset(const struct map *a, const struct map *b)
{
	struct map_item it;

	for (size_t i = 0; map_next(a, &i, &it);)
		if (map_get(b, it.key) == NULL)
			return false;
	return true;
}

static bool are_equal(const struct map *a, const struct map *b)
{
	return is_subset(a, b) && is_subset(b, a);
}

static enum search_end search(struct toy *toy, struct seen *seen, struct dpor_counts *counts)
{
	struct search s = {
		.runner = &toy->runner, .context = seen, .is_failure = look, .goes_on = true
	};
	struct diag d = { { 0 } };
	enum search_end end;

	*seen = (struct seen){ .toy = toy };
	end = dpor_search(&s, counts, &d);
	search_release(&s);
	return end;
}

struct program {
	const char *name;
	uint64_t runs, traces, deadlocks; /* deadlocks: traces that are */
	const char *threads[5];
	const char *semaphores; /* letters that begin at 1 */
};

static const struct program programs[] = {
	{ "SB", 6, 3, 0, { "write:x=1 read:y", "write:y=1 read:x" }, "" },
	{ "MP", 6, 3, 0, { "write:x=1 write:y=1", "read:y read:x" }, "" },
	{ "LB", 6, 3, 0, { "read:x write:y=1", "read:y write:x=1" }, "" },
	{ "2+2W", 6, 3, 0, { "write:x=1 write:y=2", "write:y=1 write:x=2" }, "" },
	{ "CoRR", 3, 3, 0, { "write:x=1", "read:x read:x" }, "" },
	{ "WRC", 30, 7, 0, { "write:x=1", "read:x write:y=1", "read:y read:x" }, "" },
	{ "IRIW", 180, 15, 0, { "write:x=1", "write:y=1", "read:x read:y", "read:y read:x" }, "" },
	{ "writers 3", 6, 6, 0, { "write:x=1", "write:x=2", "write:x=3" }, "" },
	{ "writers 4", 24, 24, 0, { "write:x=1", "write:x=2", "write:x=3", "write:x=4" }, "" },
	{ "read, write 2", 6, 4, 0, { "read:x write:x=1", "read:x write:x=2" }, "" },
	{ "read, write 3",
	  90,
	  36,
	  0,
	  { "read:x write:x=1", "read:x write:x=2", "read:x write:x=3" },
	  "" },
	{ "independent", 6, 1, 0, { "write:x=1 read:x", "write:y=1 read:y" }, "" },
	{ "fetch_add 3", 6, 6, 0, { "add:x=1", "add:x=1", "add:x=1" }, "" },
	{ "fetch_add 4", 24, 24, 0, { "add:x=1", "add:x=1", "add:x=1", "add:x=1" }, "" },
	{ "locked increment 2",
	  2,
	  2,
	  0,
	  { "lock:m read:x write:x=1 unlock:m", "lock:m read:x write:x=1 unlock:m" },
	  "" },
	{ "locked increment 3",
	  6,
	  6,
	  0,
	  { "lock:m read:x write:x=1 unlock:m", "lock:m read:x write:x=1 unlock:m",
	    "lock:m read:x write:x=1 unlock:m" },
	  "" },
	{ "ABBA",
	  6,
	  3,
	  1,
	  { "lock:m lock:n unlock:n unlock:m", "lock:n lock:m unlock:m unlock:n" },
	  "" },
	{ "ABBA, gate lock",
	  2,
	  2,
	  0,
	  { "lock:g lock:m lock:n unlock:n unlock:m unlock:g",
	    "lock:g lock:n lock:m unlock:m unlock:n unlock:g" },
	  "" },
	{ "philosophers 3",
	  168,
	  7,
	  1,
	  { "lock:a lock:b unlock:b unlock:a", "lock:b lock:c unlock:c unlock:b",
	    "lock:c lock:a unlock:a unlock:c" },
	  "" },
	{ "readers 2", 6, 4, 0, { "write:x=1", "read:x", "read:x" }, "" },
	{ "readers 3", 24, 8, 0, { "write:x=1", "read:x", "read:x", "read:x" }, "" },
	{ "readers 4", 120, 16, 0, { "write:x=1", "read:x", "read:x", "read:x", "read:x" }, "" },
	{ "lost wakeup",
	  8,
	  3,
	  1,
	  { "read:x if=0:4 lock:m wait:c:m unlock:m", "write:x=1 lock:m signal:c unlock:m" },
	  "" },
	{ "condition with flag",
	  2,
	  2,
	  0,
	  { "lock:m read:x if=0:2 wait:c:m unlock:m", "lock:m write:x=1 signal:c unlock:m" },
	  "" },
	{ "two waiters, one signal",
	  8,
	  8,
	  8,
	  { "lock:m wait:c:m unlock:m", "lock:m wait:c:m unlock:m", "lock:m signal:c unlock:m" },
	  "" },
	{ "semaphore as lock", 2, 2, 0, { "down:s read:x up:s", "down:s read:x up:s" }, "s" },
	{ "two readers, a writer",
	  42,
	  4,
	  0,
	  { "rdlock:l read:x rdunlock:l", "rdlock:l read:x rdunlock:l",
	    "wrlock:l write:x=1 unlock:l" },
	  "" },
	{ "barrier", 36, 1, 0, { "write:x=1 meet:b:2 read:y", "write:y=1 meet:b:2 read:x" }, "" },
	{ "post, and something else before the wait",
	  6,
	  2,
	  1,
	  { "down:s up:s", "read:x", "down:s" },
	  "s" },
	{ "readers and writers of a barrier",
	  60,
	  4,
	  0,
	  { "write:x=1 meet:b:2 write:y=1", "read:x meet:b:2 write:x=2 read:y" },
	  "" },
	{ "made late", 4, 1, 0, { "write:x=1 yield make:2", "read:w", "read:x" }, "" },
	{ "trylock against lock",
	  4,
	  3,
	  0,
	  { "lock:m read:x unlock:m", "try:m if=1:1 unlock:m" },
	  "" },
};

static const struct program bigger[] = {
	{ "lastzero 2",
	  35,
	  5,
	  0,
	  { "read:c ifnot=0:3 read:b ifnot=0:1 read:a", "read:a write:b=s", "read:b write:c=s" },
	  "" },
	{ "lastzero 3",
	  920,
	  12,
	  0,
	  { "read:d ifnot=0:5 read:c ifnot=0:3 read:b ifnot=0:1 read:a", "read:a write:b=s",
	    "read:b write:c=s", "read:c write:d=s" },
	  "" },
	{ "spacecraft, one round",
	  273,
	  7,
	  3,
	  { "read:x if=0:4 lock:m wait:c:m unlock:m read:x "
	    "lock:n read:y write:y=s broadcast:d unlock:n",
	    "lock:m read:x write:x=s broadcast:c unlock:m "
	    "read:y if=0:4 lock:n wait:d:n unlock:n read:y" },
	  "" },
};

static void load(struct toy *toy, const struct program *p)
{
	toy_clear(toy);
	for (uint32_t t = 0; t < 5 && p->threads[t] != NULL; t++)
		toy_add(&toy->program, p->threads[t]);
	for (const char *s = p->semaphores; *s != '\0'; s++)
		toy->program.semaphores[*s - 'a'] = 1;
}

static void compare(struct toy *toy, const char *name, uint64_t runs, uint64_t traces,
		    uint64_t deadlocks)
{
	struct explore_all all;
	struct dpor_counts counts;
	struct seen seen;

	explore_all(&toy->program, &all);
	TAP_EQ(all.runs, runs, "%s: interleavings", name);
	TAP_EQ(all.traces.n, traces, "%s: traces", name);
	TAP_EQ(explore_all_deadlocks(&all), deadlocks, "%s: deadlocks", name);
	TAP_EQ(search(toy, &seen, &counts), SEARCH_WHOLE, "%s: all is searched", name);
	TAP_EQ(counts.traces, traces, "%s: a run for each trace", name);
	TAP_EQ(counts.blocked, 0, "%s: and no other", name);
	TAP_EQ(seen.deadlocks, deadlocks, "%s: deadlocks are found", name);
	TAP_OK(are_equal(&all.ends, &seen.ends), "%s: same ends", name);
	explore_all_release(&all);
	MAP_RELEASE_ALL(&seen.ends, &seen.failures);
}

static void show(const struct toy_program *p)
{
	for (uint32_t t = 0; t < p->nthreads; t++) {
		printf("# T%u:", t);
		for (uint32_t i = 0; i < p->length[t]; i++)
			printf(" %u(%c%c %d %u)", p->lines[t][i].kind, 'a' + p->lines[t][i].object,
			       'a' + p->lines[t][i].second, p->lines[t][i].value,
			       p->lines[t][i].count);
		printf("\n");
	}
}

/* Where failures end the process the traces are not counted: all failures must be seen. */
static bool agree(struct toy *toy, uint64_t *blocked)
{
	struct explore_all all;
	struct dpor_counts counts;
	struct seen seen;
	bool good;

	explore_all(&toy->program, &all);
	good = search(toy, &seen, &counts) == SEARCH_WHOLE;
	if (toy->program.goes_on)
		good = good && counts.traces == all.traces.n && are_equal(&all.ends, &seen.ends);
	good = good && are_equal(&all.failures, &seen.failures);
	if (!good) {
		printf("# %zu traces, %llu runs; %zu and %zu ends; %zu and %zu failures\n",
		       all.traces.n, (unsigned long long)counts.traces, all.ends.n, seen.ends.n,
		       all.failures.n, seen.failures.n);
		show(&toy->program);
	}
	*blocked += counts.blocked;
	explore_all_release(&all);
	MAP_RELEASE_ALL(&seen.ends, &seen.failures);
	return good;
}

static void test_random(struct toy *toy)
{
	unsigned long n = tap_rounds(600, 30000), bad = 0;
	uint64_t random = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1, blocked = 0;

	for (unsigned long i = 0; i < n && bad < 3; i++) {
		toy_clear(toy);
		toy->program.goes_on = i % 4 != 0;
		toy_random(&toy->program, &random, 2 + i % 2, 7 + i % 3);
		bad += !agree(toy, &blocked);
	}
	TAP_EQ(bad, 0, "%lu random programs, %llu runs blocked", n, (unsigned long long)blocked);
}

/* Accesses become steps when a run shows that they are shared; then the search begins anew. */
static void test_growing(struct toy *toy)
{
	unsigned long n = tap_rounds(200, 5000), bad = 0;
	uint64_t random = 2, restarts = 0;

	for (unsigned long i = 0; i < n && bad < 3; i++) {
		struct explore_all all;
		struct dpor_counts counts;
		struct seen seen;

		toy_clear(toy);
		toy->hides = true;
		toy->program.goes_on = true;
		toy_random(&toy->program, &random, 2 + i % 2, 7 + i % 3);
		explore_all(&toy->program, &all);
		if (search(toy, &seen, &counts) != SEARCH_WHOLE || counts.traces != all.traces.n ||
		    !is_subset(&all.failures, &seen.failures)) {
			show(&toy->program);
			bad++;
		}
		restarts += counts.restarts;
		explore_all_release(&all);
		MAP_RELEASE_ALL(&seen.ends, &seen.failures);
	}
	toy->hides = false;
	TAP_EQ(bad, 0, "%lu random programs whose shared words are not known before", n);
	TAP_OK(restarts > n / 4, "%llu searches began anew", (unsigned long long)restarts);
}

/* Whoever ends the process hides what others would have done. */
static void test_ending(struct toy *toy)
{
	static const struct {
		const char *name;
		uint64_t failures;
		const char *threads[3];
	} cases[] = {
		{ "exit before a failure", 1, { "yield exit", "read:x read:y fail=0" } },
		{ "a failure before another", 2, { "read:x fail=0", "read:y fail=0" } },
		{ "three of them", 3, { "read:x fail=0", "read:y fail=0", "read:z fail=0" } },
		{ "exit before two locks",
		  1,
		  { "yield exit", "lock:m lock:n unlock:n unlock:m", "lock:n lock:m fail=0" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t blocked = 0;
		struct dpor_counts counts;
		struct seen seen;

		toy_clear(toy);
		for (size_t t = 0; t < 3 && cases[i].threads[t] != NULL; t++)
			toy_add(&toy->program, cases[i].threads[t]);
		TAP_OK(agree(toy, &blocked), "%s: as enumeration says", cases[i].name);
		search(toy, &seen, &counts);
		TAP_EQ(seen.failures.n, cases[i].failures, "%s: failures", cases[i].name);
		MAP_RELEASE_ALL(&seen.ends, &seen.failures);
	}
}

int main(void)
{
	struct toy *toy = toy_new(100);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		load(toy, &programs[i]);
		compare(toy, programs[i].name, programs[i].runs, programs[i].traces,
			programs[i].deadlocks);
	}
	for (size_t i = 0; i < sizeof(bigger) / sizeof(bigger[0]); i++) {
		load(toy, &bigger[i]);
		compare(toy, bigger[i].name, bigger[i].runs, bigger[i].traces, bigger[i].deadlocks);
	}
	test_random(toy);
	test_growing(toy);
	test_ending(toy);
	toy_free(toy);
	return tap_done();
}
