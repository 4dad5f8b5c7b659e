/*
 * A walk over all candidates with hard edges alone, noting signatures.  With few places the set
 * is a square of bits, which is asked before anything else: most questions end there.
 */
#include "predict/races_priv.h"

#define SQUARE_PLACES 16384u	  /* up to 32 MiB of bits a thread */
#define MOST_SIGNATURES 20000000u /* beyond that nobody counts */

struct teller {
	const struct causal *hard;
	const struct engine_options *opt;
	size_t nplaces;
	uint64_t *bits;	 /* nplaces * nplaces of them, or NULL */
	struct map seen; /* otherwise */
	bool full;
};

static size_t bit_of(const struct teller *t, uint64_t signature)
{
	return (size_t)(signature >> 32) * t->nplaces + (uint32_t)signature;
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
	(void)causal_known(t->hard, e, out);
	return true;
}

static bool piece_begin(void *arg, size_t piece)
{
	const struct teller *t = arg;

	(void)piece;
	return !t->full && !engine_stopped(t->opt);
}

static void piece_end(void *arg, size_t piece, bool whole)
{
	struct teller *t = arg;

	(void)piece;
	t->full |= !whole;
}

/* Into the first one's set. */
static void teller_join(struct teller *into, const struct teller *from, size_t words)
{
	struct map_item item;

	into->full |= from->full;
	for (size_t w = 0; into->bits && w < words; w++)
		into->bits[w] |= from->bits[w];
	for (size_t i = 0; map_next(&from->seen, &i, &item);)
		map_put(&into->seen, item.key, NULL);
}

uint64_t census(const struct races *s, const struct causal *hard, bool *complete)
{
	size_t nplaces = s->candidates->nplaces, words = nplaces * nplaces / 64 + 1;
	unsigned jobs = engine_jobs(s->opt);
	struct teller *t = mem_alloc(jobs * sizeof(*t));
	uint64_t n;

	for (unsigned i = 0; i < jobs; i++)
		t[i] = (struct teller){ .hard = hard,
					.opt = s->opt,
					.nplaces = nplaces,
					.bits = nplaces <= SQUARE_PLACES
							? mem_zalloc(words * sizeof(*t->bits))
							: NULL };
	walk_pieces(&(struct walk_work){
		.c = s->candidates,
		.jobs = jobs,
		.n = candidates_npieces(s->candidates),
		.workers = t,
		.size = sizeof(*t),
		.visitor = { .before = before, .wanted = is_new, .over = is_noted, .meet = note },
		.begin = piece_begin,
		.end = piece_end });
	for (unsigned i = 1; i < jobs; i++)
		teller_join(&t[0], &t[i], words);
	n = t[0].seen.n;
	for (size_t w = 0; t[0].bits && w < words; w++)
		n += (uint64_t)__builtin_popcountll(t[0].bits[w]);
	*complete = !t[0].full;
	for (unsigned i = 0; i < jobs; i++) {
		map_release(&t[i].seen);
		mem_free(t[i].bits);
	}
	mem_free(t);
	return n;
}
