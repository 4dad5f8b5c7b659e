/*
 * Data races of one run: by hand, and on random programs against a graph of all that is handed on, closed
 * step by step.
 */
#include "explore/search.h"
#include "explore/shares.h"
#include "unit/explore_toy.h"
#include "unit/tap.h"

static void run(struct toy *toy, enum baton_policy policy, uint64_t seed)
{
	struct search s = { .runner = &toy->runner, .goes_on = true };
	struct search_ask ask = { .policy = policy, .seed = seed };
	struct diag d = { { 0 } };

	if (search_run(&s, &ask, &d) != SEARCH_WHOLE)
		abort();
	search_release(&s);
}

static const struct {
	const char *name;
	uint64_t races;
	const char *threads[3];
	int8_t semaphore;
} cases[] = {
	{ "nothing between", 1, { "write:x=1", "read:x" }, 0 },
	{ "two readers", 0, { "read:x", "read:x" }, 0 },
	{ "one lock", 0, { "lock:m write:x=1 unlock:m", "lock:m read:x unlock:m" }, 0 },
	{ "two locks", 1, { "lock:m write:x=1 unlock:m", "lock:n read:x unlock:n" }, 0 },
	{ "a lock on one side", 1, { "lock:m write:x=1 unlock:m", "read:x" }, 0 },
	{ "before the lock", 0, { "write:x=1 lock:m unlock:m", "lock:m unlock:m read:x" }, 0 },
	{ "behind the lock", 1, { "lock:m unlock:m write:x=1", "lock:m unlock:m read:x" }, 0 },
	{ "atomic", 0, { "add:x=1", "store:x=2" }, 0 },
	{ "atomic on one side", 1, { "add:x=1", "read:x" }, 0 },
	{ "handed on by a flag", 0, { "write:x=1 store:f=1", "load:f read:x" }, 0 },
	{ "a flag that is only written", 1, { "write:x=1 store:f=1", "store:f=2 read:x" }, 0 },
	{ "written over", 1, { "write:x=1 store:f=1", "store:f=2", "load:f read:x" }, 0 },
	{ "added to", 0, { "write:x=1 store:f=1", "add:f=1", "load:f read:x" }, 0 },
	{ "a plain flag", 2, { "write:x=1 write:f=1", "read:f read:x" }, 0 },
	{ "semaphore", 0, { "write:x=1 up:s", "down:s read:x" }, 0 },
	{ "two waits hand on nothing", 1, { "down:s write:x=1", "down:s read:x" }, 2 },
	{ "barrier", 0, { "write:x=1 meet:b:2 read:y", "write:y=1 meet:b:2 read:x" }, 0 },
	{ "behind the barrier", 1, { "meet:b:2 write:x=1", "meet:b:2 read:x" }, 0 },
	{ "once", 0, { "once:o:1 write:x=1", "once:o:1 write:x=1 read:x" }, 0 },
	{ "join", 0, { "join:1 read:x", "write:x=1" }, 0 },
	{ "made", 0, { "write:x=1 yield make:1", "read:x" }, 0 },
	{ "after it was made", 1, { "read:y make:1 write:x=1", "read:x" }, 0 },
	{ "readers' lock",
	  1,
	  { "rdlock:l write:x=1 rdunlock:l", "rdlock:l read:x rdunlock:l" },
	  0 },
	{ "readers and writer",
	  0,
	  { "rdlock:l read:x rdunlock:l", "wrlock:l write:x=1 unlock:l" },
	  0 },
	{ "condition",
	  0,
	  { "lock:m wait:c:m unlock:m read:x", "lock:m write:x=1 signal:c unlock:m" },
	  0 },
	{ "other bytes", 0, { "writelow:x=1", "writehigh:x=1" }, 0 },
	{ "some of the bytes", 1, { "writehigh:x=1", "read:x" }, 0 },
};

static void test_cases(struct toy *toy)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shares s = { 0 };

		toy_clear(toy);
		for (size_t t = 0; t < 3 && cases[i].threads[t] != NULL; t++)
			toy_add(&toy->program, cases[i].threads[t]);
		toy->program.semaphores['s' - 'a'] = cases[i].semaphore;
		run(toy, BATON_GO_ON, 0);
		shares_find(&s, &toy->runner);
		TAP_EQ(s.races.n, cases[i].races, "%s", cases[i].name);
		for (size_t k = 0; k < s.races.n; k++)
			TAP_OK(s.races.at[k].first < s.races.at[k].second &&
				       s.races.at[k].second < toy->runner.head->nsteps,
			       "%s: two steps", cases[i].name);
		shares_release(&s);
	}
}

/* ---- against a graph ---- */

#define MOST 40

static bool gives_lock(const struct baton_op *a)
{
	return a->kind == BATON_UNLOCK || a->kind == BATON_READ_UNLOCK || a->kind == BATON_WAIT ||
	       a->kind == BATON_OBJECT;
}

static bool takes_lock(const struct baton_op *b)
{
	return b->kind == BATON_LOCK || b->kind == BATON_TRY_LOCK || b->kind == BATON_READ_LOCK ||
	       b->kind == BATON_TRY_READ_LOCK || b->kind == BATON_WAKE || b->kind == BATON_OBJECT;
}

static uint64_t lock_of(const struct baton_op *op)
{
	return op->kind == BATON_WAIT || op->kind == BATON_WAKE ? op->second : op->object;
}

/* Does the earlier step a hand on to b? */
static bool hands_on(const struct baton_step *a, const struct baton_step *b)
{
	const struct baton_op *x = &a->op, *y = &b->op;
	bool same = x->object == y->object, in_vain = y->flags & BATON_VAIN;

	if (a->choice.thread == b->choice.thread)
		return true;
	if (in_vain && y->kind != BATON_WAKE)
		return false;
	if (gives_lock(x) && takes_lock(y))
		return lock_of(x) == lock_of(y) &&
		       !(x->kind == BATON_READ_UNLOCK &&
			 (y->kind == BATON_READ_LOCK || y->kind == BATON_TRY_READ_LOCK ||
			  y->kind == BATON_WAKE || y->kind == BATON_OBJECT));
	if (x->kind == BATON_SIGNAL || x->kind == BATON_BROADCAST)
		return same && y->kind == BATON_WAKE && !in_vain;
	if (x->kind == BATON_SEM_POST)
		return same && (y->kind == BATON_SEM_WAIT || y->kind == BATON_SEM_TRY);
	if (x->kind == BATON_BARRIER_IN)
		return same && y->kind == BATON_BARRIER_OUT;
	/* Updates are the only atomic accesses of random programs. */
	return x->kind == BATON_UPDATE && y->kind == BATON_UPDATE && same;
}

/* A thread is handed on what its maker did, a join all of its thread, a once all of the one before. */
static bool leads(const struct baton_step *s, uint32_t i, uint32_t j)
{
	uint32_t made = 0, first = 0;

	if (hands_on(&s[i], &s[j]))
		return true;
	if (s[j].op.kind == BATON_JOIN && s[j].op.second == s[i].choice.thread)
		return true;
	while (s[j].op.kind == BATON_ONCE &&
	       (s[first].op.kind != BATON_ONCE || s[first].op.object != s[j].op.object))
		first++;
	if (s[j].op.kind == BATON_ONCE && s[first].choice.thread == s[i].choice.thread)
		return true;
	while (s[made].nthreads <= s[j].choice.thread)
		made++;
	return made > 0 && i == made - 1;
}

static void close_graph(const struct baton_step *s, uint32_t n, bool before[MOST][MOST])
{
	memset(before, 0, sizeof(bool[MOST][MOST]));
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = j; i-- > 0;)
			if (leads(s, i, j)) {
				before[i][j] = true;
				for (uint32_t k = 0; k < i; k++)
					before[k][j] |= before[k][i];
			}
}

static uint64_t count_races(const struct baton_step *s, uint32_t n, const struct shares *found)
{
	bool before[MOST][MOST];
	MAP_SCOPED pairs = { 0 };

	close_graph(s, n, before);
	for (uint32_t j = 0; j < n; j++) {
		for (uint32_t i = 0; i < j; i++) {
			const struct baton_op *a = &s[i].op, *b = &s[j].op;
			uint32_t low = a->site < b->site ? a->site : b->site;

			if (BATON_IS_ACCESS(a->kind) && BATON_IS_ACCESS(b->kind) && !before[i][j] &&
			    (a->kind != BATON_READ || b->kind != BATON_READ) &&
			    !(a->flags & b->flags & BATON_ATOMIC) &&
			    a->object < b->object + b->size && b->object < a->object + a->size)
				map_put(&pairs, (uint64_t)low << 32 | (a->site + b->site - low),
					NULL);
		}
	}
	for (size_t i = 0; i < found->races.n; i++)
		if (before[found->races.at[i].first][found->races.at[i].second])
			return UINT64_MAX;
	return pairs.n;
}

static void test_random(struct toy *toy)
{
	unsigned long n = tap_rounds(3000, 100000), bad = 0;
	uint64_t random = 6, races = 0;
	struct shares s = { 0 };

	for (unsigned long i = 0; i < n; i++) {
		toy_clear(toy);
		toy->program.goes_on = true;
		toy_random(&toy->program, &random, 2 + i % 3, 12 + i % 8);
		run(toy, BATON_RANDOM, i);
		shares_find(&s, &toy->runner);
		races += s.races.n;
		bad += count_races(explore_steps(&toy->runner), toy->runner.head->nsteps, &s) !=
		       s.races.n;
	}
	TAP_EQ(bad, 0, "%lu random runs", n);
	TAP_OK(races > n / 2, "with %llu races", (unsigned long long)races);
	shares_release(&s);
}

int main(void)
{
	struct toy *toy = toy_new(100);

	test_cases(toy);
	test_random(toy);
	toy_free(toy);
	return tap_done();
}
