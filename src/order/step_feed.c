/*
 * Feeds by the numbers that steps have.
 *
 * A ranged read has a number for each of its words, and the reader may yield it in pieces.  A feed
 * names one of those numbers, or for a copy the first one and means them all; steps name
 * the number that the read's step carries.
 */
#include "order/step_priv.h"

#define RANGES_MAX (1u << 20) /* ranged reads of a thread that may still be named */

void step_range_note(struct steps *s, const struct event *e)
{
	struct step_thread *t = step_thread(s, e->tid);
	bool more = t->ranges.n != 0 && t->range_end == e->tseq;

	if (t->ranges.n == RANGES_MAX) {
		VEC_CUT(&t->ranges, 0, RANGES_MAX / 2);
		t->ranges_dropped = t->ranges.at[0].tseq;
	}
	*VEC_PUSH(&t->ranges) = (struct step_range){ e->tseq, e->nrefs, more };
	t->range_end = e->tseq + e->nrefs;
}

static void feed_add(struct steps *s, size_t start, uint64_t tseq)
{
	if (s->feeds.n == start || s->feeds.at[s->feeds.n - 1] != tseq)
		*VEC_PUSH(&s->feeds) = tseq;
}

/* False: what it names is not known any more. */
static bool feed_resolve(struct steps *s, const struct event *e, size_t start, uint64_t tseq)
{
	const struct step_thread *t = step_thread(s, e->tid);
	size_t past;

	if (tseq < t->ranges_dropped)
		return false;
	past = SEARCH_PAST(i, 0, t->ranges.n, t->ranges.at[i].tseq <= tseq);
	if (past == 0 || tseq - t->ranges.at[past - 1].tseq >= t->ranges.at[past - 1].n) {
		feed_add(s, start, tseq);
		return true;
	}
	feed_add(s, start, t->ranges.at[past - 1].tseq);
	for (; (e->flags & EVENT_COPY) && past < t->ranges.n && t->ranges.at[past].more; past++)
		feed_add(s, start, t->ranges.at[past].tseq);
	return true;
}

void step_feeds_add(struct steps *s, const struct event *e, struct step *st)
{
	size_t start = s->feeds.n;
	bool known = true;

	for (uint32_t i = 0; i < e->nfeeds; i++) {
		if (e->tid < s->threads.n && e->feeds[i] < s->threads.at[e->tid].range_end)
			known &= feed_resolve(s, e, start, e->feeds[i]);
		else
			feed_add(s, start, e->feeds[i]);
	}
	st->feeds = (uint32_t)start;
	st->nfeeds = (uint32_t)(s->feeds.n - start);
	st->flags |= known ? 0 : STEP_STOP;
}
