/*
 * A walk over all candidates with hard edges alone, noting signatures.  With few places the set
 * is a square of bits, which is asked before anything else: most questions end there.
 */
#include "predict/census.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "order/causal.h"
#include "predict/candidates.h"
#include "predict/engine.h"

#define SQUARE_PLACES 16384u	  /* up to 32 MiB of bits a thread */
#define MOST_SIGNATURES 20000000u /* beyond that nobody counts */

struct teller {
	const struct census *all;
	struct walk *walk;
	uint64_t *bits;	 /* nplaces * nplaces of them, or NULL */
	struct map seen; /* otherwise */
	bool full;
};

struct census {
	const struct model *m;
	const struct causal *hard;
	const struct candidates *candidates;
	const struct engine_options *opt;
	size_t nplaces;
	struct teller *tellers;
};

static size_t bit_of(const struct teller *t, uint64_t signature)
{
	return (size_t)(signature >> 32) * t->all->nplaces + (uint32_t)signature;
}

static bool is_new(void *arg, uint64_t signature)
{
	struct teller *t = arg;
	size_t bit;

	if (!t->bits)
		return map_get(&t->seen, signature) == NULL;
	bit = bit_of(t, signature);
	return !(t->bits[bit / 64] >> (bit % 64) & 1);
}

static bool is_noted(void *arg, uint64_t signature)
{
	return !is_new(arg, signature);
}

static bool note(void *arg, const struct candidate *x)
{
	struct teller *t = arg;

	if (t->bits) {
		size_t bit = bit_of(t, x->signature);

		t->bits[bit / 64] |= (uint64_t)1 << (bit % 64);
	} else {
		map_put(&t->seen, x->signature, NULL);
		t->full |= t->seen.n > MOST_SIGNATURES;
	}
	return !t->full;
}

static bool before(void *arg, uint32_t e, struct causal_known *out)
{
	struct teller *t = arg;

	/* An event that can never be next is a candidate all the same, and refuted. */
	(void)causal_known(t->all->hard, e, out);
	return true;
}

static void count_piece(void *arg, size_t piece, unsigned worker)
{
	const struct census *c = arg;
	struct teller *t = &c->tellers[worker];
	struct candidate_visitor v = {
		.before = before, .wanted = is_new, .over = is_noted, .meet = note, .arg = t
	};

	if (t->full || engine_stopped(c->opt) || !walk_piece(t->walk, piece, &v))
		t->full = true;
}

static void teller_init(struct teller *t, const struct census *c)
{
	t->all = c;
	t->walk = walk_new(c->candidates);
	if (c->nplaces <= SQUARE_PLACES)
		t->bits = mem_zalloc((c->nplaces * c->nplaces / 64 + 1) * sizeof(*t->bits));
}

static void teller_release(struct teller *t)
{
	walk_free(t->walk);
	map_release(&t->seen);
	mem_free(t->bits);
}

/* Into the first one's set. */
static void teller_join(struct teller *into, const struct teller *from)
{
	size_t words = into->all->nplaces * into->all->nplaces / 64 + 1, i = 0;
	struct map_item item;

	into->full |= from->full;
	for (size_t w = 0; into->bits && w < words; w++)
		into->bits[w] |= from->bits[w];
	while (map_next(&from->seen, &i, &item))
		map_put(&into->seen, item.key, NULL);
}

static uint64_t teller_count(const struct teller *t)
{
	size_t words = t->all->nplaces * t->all->nplaces / 64 + 1;
	uint64_t n = t->seen.n;

	for (size_t w = 0; t->bits && w < words; w++)
		n += (uint64_t)__builtin_popcountll(t->bits[w]);
	return n;
}

uint64_t census(const struct model *m, const struct causal *hard,
		const struct candidates *candidates, const struct engine_options *opt,
		bool *complete)
{
	unsigned jobs = opt->jobs ? opt->jobs : 1;
	struct census c = { .m = m,
			    .hard = hard,
			    .candidates = candidates,
			    .opt = opt,
			    .nplaces = candidates_nplaces(candidates) };
	uint64_t n;

	c.tellers = mem_zalloc(jobs * sizeof(*c.tellers));
	for (unsigned i = 0; i < jobs; i++)
		teller_init(&c.tellers[i], &c);
	pool_run(jobs, candidates_npieces(candidates), count_piece, &c);
	for (unsigned i = 1; i < jobs; i++)
		teller_join(&c.tellers[0], &c.tellers[i]);
	n = teller_count(&c.tellers[0]);
	*complete = !c.tellers[0].full;
	for (unsigned i = 0; i < jobs; i++)
		teller_release(&c.tellers[i]);
	mem_free(c.tellers);
	return n;
}
