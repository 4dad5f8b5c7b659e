/*
 * A ring of slices for each chain.
 */
#include "compare/slices_priv.h"

#include "base/mem.h"

void slices_init(struct slices *q, struct stamps *stamps)
{
	*q = (struct slices){ .stamps = stamps };
}

void slices_release(struct slices *q)
{
	for (size_t i = 0; i < q->by_chain.n; i++)
		mem_free(q->by_chain.at[i]);
	VEC_RELEASE(&q->by_chain);
}

static void ring_restart(struct slices *q, struct slice_ring *r, uint32_t tid)
{
	for (uint32_t i = 0; i < SLICES_KEPT; i++)
		stamp_clear(q->stamps, &r->at[i].stamp);
	stamp_clear(q->stamps, &r->old);
	r->tid = tid;
	r->n = r->old_end = 0;
}

static struct slice_ring *ring_of(struct slices *q, const struct step *s)
{
	struct slice_ring *r;

	VEC_REACH(&q->by_chain, s->chain);
	if (!q->by_chain.at[s->chain])
		q->by_chain.at[s->chain] = mem_zalloc(sizeof(*r));
	r = q->by_chain.at[s->chain];
	if (r->tid != s->tid)
		ring_restart(q, r, s->tid);
	return r;
}

static uint64_t words(const struct step *s)
{
	return s->len ? (s->addr + s->len - 1) / 8 - s->addr / 8 + 1 : 1;
}

void slices_add(struct slices *q, const struct step *s, const struct stamp *slice)
{
	struct slice_ring *r = ring_of(q, s);
	struct slice *at = &r->at[r->n % SLICES_KEPT];

	if (r->n >= SLICES_KEPT) {
		stamp_collect(q->stamps, &r->old, &at->stamp);
		r->old_end = at->end > r->old_end ? at->end : r->old_end;
	}
	at->first = s->tseq;
	at->end = s->tseq + words(s);
	stamp_set(q->stamps, &at->stamp, slice);
	r->n++;
}

/* The slice of the read with that number; NULL: a binding read, whose slice its thread's clock has.
 * Newest first: feeds mostly name what was just read, and a number of its own beats being inside a
 * range (an unaligned read touches two words with one number). */
static const struct stamp *ring_find(const struct slice_ring *r, uint64_t tseq)
{
	uint64_t kept = r->n < SLICES_KEPT ? r->n : SLICES_KEPT;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct slice *at = &r->at[(r->n - i) % SLICES_KEPT];

		if (at->first <= tseq && tseq < at->end)
			return &at->stamp;
	}
	return tseq < r->old_end ? &r->old : NULL;
}

void slices_feed(struct slices *q, const struct step_batch *b, const struct step *s,
		 const struct stamp *now, struct stamp *into)
{
	const struct slice_ring *r;

	if (s->nfeeds == 0 || s->chain >= q->by_chain.n || !q->by_chain.at[s->chain])
		return;
	r = ring_of(q, s);
	for (uint32_t i = 0; i < s->nfeeds; i++) {
		const struct stamp *slice = ring_find(r, b->feeds[s->feeds + i]);

		if (slice && !stamp_leq(q->stamps, slice, now))
			stamp_collect(q->stamps, into, slice);
	}
}
