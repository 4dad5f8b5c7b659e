/*
 * The oracle held to itself: the walk over states finds a race, a deadlock or a wait without end
 * exactly where, of all orders of all events, one is a witness by the definition; and its own orders are
 * witnesses.
 */
#include <string.h>

#include "enumerate.h"
#include "tap.h"
#include "tiny.h"

#define TRACES 8000
#define SMALL 8 /* events of a trace whose orders are all tried */
#define SMALL_LOCKING 10
#define SETS 4096

static const struct enumerate_mode modes[] = {
	{ .strict = true },
	{ .strict = false },
	{ .strict = true, .keep_locks = true },
	{ .keep_locks = true },
	{ .strict = true, .values = true },
	{ .values = true },
};

struct search {
	const struct tiny *t;
	struct enumerate_mode mode;
	int order[TINY_EVENTS], done[TINY_THREADS];
	struct pairs found, waits[NWAITS];
	uint32_t deadlocks[SETS];
	int ndeadlocks;
};

static struct {
	unsigned races, deadlocks, joins, waits[NWAITS];
	unsigned unsound, incomplete;
} tally;

static void try_pairs(struct search *s, int n)
{
	for (int i = 0; i < s->t->n; i++) {
		for (int j = 0; j < s->t->n; j++) {
			if (i < j && tiny_conflict(s->t, i, j) && !pairs_has(&s->found, i, j) &&
			    enumerate_witness(s->t, s->order, n, i, j, 0, s->mode))
				pairs_add(&s->found, i, j);
			for (int k = 0; k < NWAITS && s->t->at[j].in_wait; k++)
				if (!pairs_has(&s->waits[k], i, j) &&
				    enumerate_wait(s->t, s->order, n, k, i, j, 0, s->mode))
					pairs_add(&s->waits[k], i, j);
		}
	}
}

/* Of each set of threads, what they do next. */
static void try_deadlocks(struct search *s, int n)
{
	unsigned asking = 0;

	for (int u = 0; u < s->t->nthreads; u++) {
		const struct tiny_event *e;

		if (s->done[u] == s->t->len[u])
			continue;
		e = &s->t->at[s->t->thread_event[u][s->done[u]]];
		if (tiny_acquires(e) || e->op == TINY_JOIN)
			asking |= 1u << u;
	}
	for (unsigned threads = 3; threads < 1u << s->t->nthreads; threads++) {
		uint32_t events = 0;
		bool known = false;

		if (threads & ~asking)
			continue;
		for (int u = 0; u < s->t->nthreads; u++)
			if (threads >> u & 1)
				events |= 1u << s->t->thread_event[u][s->done[u]];
		for (int i = 0; i < s->ndeadlocks; i++)
			known |= s->deadlocks[i] == events;
		if (known || s->ndeadlocks == SETS ||
		    !enumerate_deadlock(s->t, s->order, n, events, 0, s->mode))
			continue;
		s->deadlocks[s->ndeadlocks++] = events;
	}
}

/* All orders that keep program order, depth first; every prefix of them is tried. */
static void try_orders(struct search *s, int n)
{
	try_pairs(s, n);
	try_deadlocks(s, n);
	for (int u = 0; u < s->t->nthreads; u++) {
		if (s->done[u] == s->t->len[u])
			continue;
		s->order[n] = s->t->thread_event[u][s->done[u]++];
		try_orders(s, n + 1);
		s->done[u]--;
	}
}

static bool is_complete(const struct tiny *t, struct enumerate_mode mode,
			const struct enumeration *all)
{
	static struct search s;
	const struct deadlock *d;
	bool same;
	int n;

	memset(&s, 0, sizeof(s));
	s.t = t;
	s.mode = mode;
	try_orders(&s, 0);
	d = enumeration_deadlocks(all, &n);
	same = pairs_equal(&s.found, enumeration_races(all)) && n == s.ndeadlocks;
	for (int k = 0; k < NWAITS; k++)
		same &= pairs_equal(&s.waits[k], enumeration_waits(all, k));
	for (int i = 0; i < n && same; i++) {
		bool found = false;

		for (int k = 0; k < n; k++)
			found |= s.deadlocks[k] == d[i].events;
		same = found;
	}
	return same;
}

static bool deadlocks_are_sound(const struct tiny *t, struct enumerate_mode mode,
				const struct enumeration *all)
{
	int order[TINY_EVENTS], n;
	const struct deadlock *d = enumeration_deadlocks(all, &n);

	for (int i = 0; i < n; i++) {
		tally.deadlocks += !d[i].joins;
		tally.joins += d[i].joins;
		if (!enumerate_deadlock(t, order, enumeration_deadlock_order(all, &d[i], order),
					d[i].events, 0, mode))
			return false;
	}
	return true;
}

static bool pair_is_sound(const struct tiny *t, struct enumerate_mode mode,
			  const struct enumeration *all, int i, int j)
{
	int order[TINY_EVENTS], n;
	bool good = true;

	if (pairs_has(enumeration_races(all), i, j)) {
		tally.races++;
		n = enumeration_order(all, i, j, order);
		good &= enumerate_witness(t, order, n, i, j, 0, mode);
	}
	for (int k = 0; k < NWAITS; k++) {
		int release = t->at[j].op == TINY_REL ? j : i;

		if (!pairs_has(enumeration_waits(all, k), i, j))
			continue;
		tally.waits[k]++;
		n = enumeration_wait_order(all, k, i, j, order);
		good &= enumerate_wait(t, order, n, k, i + j - release, release, 0, mode);
	}
	return good;
}

static bool is_sound(const struct tiny *t, struct enumerate_mode mode,
		     const struct enumeration *all)
{
	for (int i = 0; i < t->n; i++)
		for (int j = i + 1; j < t->n; j++)
			if (!pair_is_sound(t, mode, all, i, j))
				return false;
	return deadlocks_are_sound(t, mode, all);
}

static void try_trace(uint64_t seed, int n, unsigned features, bool all_orders)
{
	struct tiny t;

	tiny_random(&t, seed, n, features);
	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		struct enumeration *all;

		if (modes[m].values && !t.values)
			continue;
		all = enumerate(&t, modes[m], UINT32_MAX);
		if (all_orders)
			tally.incomplete += !is_complete(&t, modes[m], all);
		tally.unsound += !is_sound(&t, modes[m], all);
		enumeration_free(all);
	}
}

int main(void)
{
	for (uint64_t seed = 1; seed <= TRACES; seed++)
		try_trace(seed, seed % 2 ? SMALL : 14, (unsigned)(seed / 2 % 32), seed % 2);
	for (uint64_t seed = 1; seed <= TRACES / 2; seed++) {
		unsigned features = TINY_LOCKING | (seed % 3 ? 0 : TINY_RWLOCKS) |
				    (seed % 4 ? 0 : TINY_TRIES) | (seed % 2 ? TINY_WAITS : 0);

		try_trace(seed, seed % 64 < 2 ? SMALL_LOCKING : 18, features, seed % 64 < 2);
	}
	for (uint64_t seed = 1; seed <= TRACES / 4; seed++)
		try_trace(seed, seed % 2 ? SMALL : 14,
			  TINY_COUNTS | (seed % 3 ? 0 : TINY_RWLOCKS) | (seed % 5 ? 0 : TINY_FACTS),
			  seed % 2);
	TAP_EQ(tally.unsound, 0, "%u races, %u deadlocks, %u with joins, %u + %u waits are proven",
	       tally.races, tally.deadlocks, tally.joins, tally.waits[WAIT_HOLDING],
	       tally.waits[WAIT_LOST]);
	TAP_EQ(tally.incomplete, 0, "no order of %d, or %d, events shows another", SMALL,
	       SMALL_LOCKING);
	TAP_OK(tally.races > 10 * TRACES, "races were there to be found");
	TAP_OK(tally.deadlocks > TRACES / 4 && tally.joins > TRACES / 20, "so were deadlocks");
	TAP_OK(tally.waits[WAIT_HOLDING_SURE] > 100 && tally.waits[WAIT_LOST_SURE] > 100 &&
		       tally.waits[WAIT_LOST] > tally.waits[WAIT_LOST_SURE],
	       "so were waits");
	return tap_done();
}
