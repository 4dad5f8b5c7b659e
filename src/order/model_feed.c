/*
 * From numbers of reads (tseq) to event ids.
 *
 * Simplest: a table of all events by (tid, tseq).  Only free reads matter, so each thread has a
 * list of its own, ascending; a number that is not in it belongs to an event whose value is
 * bound anyway, and is dropped.  The exception is a number from before the thread's
 * first event here: what it read is not known, and feed 0 says so.
 *
 * A ranged read has one number for each word, and may come as several events ("pieces") when
 * other threads got in between; a feed names the first number and means all of them.
 * Pieces follow each other in the thread, in numbers and in addresses.  Where two reads of one
 * location only look like pieces the feed gets larger than it was, which is safe.
 */

#include "order/model_priv.h"

static uint32_t words(uint64_t addr, uint32_t len)
{
	return (uint32_t)(((addr & 7) + len + 7) >> 3);
}

void model_feed_note(struct model *m, const struct step *s, uint32_t id)
{
	struct model_thread *t = &m->priv->build->threads.at[s->tid];
	struct model_free_read r = { s->tseq, s->addr + s->len, id, words(s->addr, s->len), s->site,
				     false };

	if ((s->op != STEP_READ && s->op != STEP_RMW) || !(s->flags & STEP_FREE_READ) ||
	    (s->flags & STEP_SHADOW))
		return;
	m->has_facts = true;
	if (t->reads.n != 0) {
		struct model_free_read *p = &t->reads.at[t->reads.n - 1];

		p->goes_on = p->id == t->last && p->end == s->addr && (s->addr & 7) == 0 &&
			     p->tseq + p->words == s->tseq && p->site == s->site;
	}
	*VEC_PUSH(&t->reads) = r;
}

/* The last of the thread's free reads that begins at or before this number; -1 none. */
static ptrdiff_t find(const struct model_thread *t, uint64_t tseq)
{
	size_t high = t->reads.n;

	/* Most feeds name what was read just now. */
	for (int near = 0; near < 4 && high != 0; near++, high--)
		if (t->reads.at[high - 1].tseq <= tseq)
			return (ptrdiff_t)high - 1;
	return (ptrdiff_t)SEARCH_PAST(i, 0, high, t->reads.at[i].tseq <= tseq) - 1;
}

static void feed_add(struct model_build *b, const struct model_thread *t, uint64_t tseq,
		     uint64_t own)
{
	ptrdiff_t i = find(t, tseq);

	if (tseq < t->first || tseq > own) {
		*VEC_PUSH(&b->feeds) = 0;
		return;
	}
	if (i < 0 || tseq - t->reads.at[i].tseq >= t->reads.at[i].words)
		return;
	do {
		*VEC_PUSH(&b->feeds) = t->reads.at[i].id;
	} while (t->reads.at[i++].goes_on);
}

void model_feed_take(struct model *m, const struct step_batch *batch, const struct step *s)
{
	struct model_build *b = m->priv->build;
	const struct model_thread *t = &b->threads.at[s->tid];
	size_t first = b->feeds.n;

	for (uint32_t i = 0; i < s->nfeeds; i++)
		feed_add(b, t, batch->feeds[s->feeds + i], s->tseq);
	if (b->feeds.n > first + 1)
		b->feeds.n = first + sort_once(b->feeds.at + first, b->feeds.n - first);
}
