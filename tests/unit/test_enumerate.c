/*
 * The oracle held to itself: the walk over states finds a race exactly where, of all orders of all
 * events, one is a witness by the definition; and its own orders are witnesses.
 */
#include <string.h>

#include "enumerate.h"
#include "tap.h"
#include "tiny.h"

#define TRACES 8000
#define SMALL 8 /* events of a trace whose orders are all tried */

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
	struct pairs found;
};

/* All orders that keep program order, depth first; every prefix of them is tried. */
static void try_orders(struct search *s, int n)
{
	for (int i = 0; i < s->t->n; i++)
		for (int j = i + 1; j < s->t->n; j++)
			if (tiny_conflict(s->t, i, j) && !pairs_has(&s->found, i, j) &&
			    enumerate_witness(s->t, s->order, n, i, j, 0, s->mode))
				pairs_add(&s->found, i, j);
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
	struct search s = { .t = t, .mode = mode };

	try_orders(&s, 0);
	return pairs_equal(&s.found, enumeration_races(all));
}

static bool is_sound(const struct tiny *t, struct enumerate_mode mode,
		     const struct enumeration *all, unsigned *races)
{
	int order[TINY_EVENTS];

	for (int i = 0; i < t->n; i++) {
		for (int j = i + 1; j < t->n; j++) {
			if (!pairs_has(enumeration_races(all), i, j))
				continue;
			++*races;
			if (!enumerate_witness(t, order, enumeration_order(all, i, j, order), i, j,
					       0, mode))
				return false;
		}
	}
	return true;
}

int main(void)
{
	unsigned incomplete = 0, unsound = 0, races = 0;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		bool small = seed % 2;
		struct tiny t;

		tiny_random(&t, seed, small ? SMALL : 14, (unsigned)(seed / 2 % 32));
		for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
			struct enumeration *all = enumerate(&t, modes[m], UINT32_MAX);

			if (small)
				incomplete += !is_complete(&t, modes[m], all);
			unsound += !is_sound(&t, modes[m], all, &races);
			enumeration_free(all);
		}
	}
	TAP_EQ(unsound, 0, "%u races of %d traces come with a witness", races, TRACES);
	TAP_EQ(incomplete, 0, "no order of %d events shows another", SMALL);
	TAP_OK(races > 10 * TRACES, "races were there to be found");
	return tap_done();
}
