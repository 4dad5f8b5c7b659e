/*
 * Where a trace that begins in the middle begins.
 *
 *	time ----->      cut k-1        cut k         cut k+1
 *	T1  ....|........|===x==========|=====> read from chunk x on
 *	T2  .......|..........|x========|=====>
 *	            dropped, or not read
 *
 * Whatever was done before cut k was begun is to be past.  Chunks that are not there, or that nobody
 * needs to read, must hold nothing else:
 *
 * - A chunk before one whose first event is counted by cut k-1 was closed before cut k-1 was over,
 *   hence before cut k was begun.  Those need not be read.
 * - Of a thread that has lost its oldest chunks, all of them were closed before the first that is
 *   left was begun.  When some thread's count in a cut is past the first event of a chunk that was
 *   begun later still, that cut was over after that; the one after it will do.
 * - A thread of which nothing is left had ended when it was counted for the last time.
 */
#include "merge/portion.h"

#include "recording/blocks.h"
#include "recording/control.h"

/* Last event counted by cut k, by index in b->threads. */
static uint64_t *counts_at(struct blocks *b, const struct control *c, uint64_t k)
{
	uint64_t *count = mem_zalloc((b->threads.n + 1) * sizeof(*count));

	for (uint64_t i = 0; i < control_cut_end(c, k); i++) {
		const struct control_pair *p = &c->pairs.at[i];
		const struct blocks_thread *t = blocks_thread(b, p->tid);

		if (t && p->tseq > count[t - b->threads.at])
			count[t - b->threads.at] = p->tseq;
	}
	return count;
}

static const struct blocks_chunk *chunk_of(const struct blocks_thread *t, uint32_t number)
{
	size_t i = blocks_find(t, number);

	return i < t->chunks.n && t->chunks.at[i].number == number ? &t->chunks.at[i] : NULL;
}

/* When the last of the dropped chunks had been closed; false: none was dropped. */
static bool dropped_until(const struct blocks *b, uint64_t *when)
{
	bool any = false;

	*when = 0;
	for (size_t i = 0; i < b->threads.n; i++) {
		const struct blocks_thread *t = &b->threads.at[i];
		const struct blocks_chunk *k = t->first ? chunk_of(t, t->first) : NULL;

		if (!k)
			continue;
		any = true;
		if (k->start_ns > *when)
			*when = k->start_ns;
	}
	return any;
}

/* First event of the thread's first chunk that was begun then or later. */
static uint64_t event_since(const struct blocks_thread *t, uint64_t when)
{
	for (size_t i = 0; i < t->chunks.n; i++)
		if (t->chunks.at[i].number >= t->first && t->chunks.at[i].start_ns >= when)
			return t->chunks.at[i].first_tseq;
	return UINT64_MAX;
}

/* The first cut that was begun when all that was dropped had been done; 0: nothing was dropped. */
static uint64_t dropped_before(struct blocks *b, const struct control *c)
{
	uint64_t when, *since, gone = 0, after = 0;
	bool any = dropped_until(b, &when);

	if (!(b->head.flags & FORMAT_KEEP))
		return 0;
	since = mem_alloc((b->threads.n + 1) * sizeof(*since));
	for (size_t i = 0; i < b->threads.n; i++)
		since[i] = event_since(&b->threads.at[i], when);
	for (uint64_t k = 1; k <= c->cuts.n; k++) {
		for (uint64_t j = control_cut_end(c, k - 1); j < control_cut_end(c, k); j++) {
			const struct control_pair *p = &c->pairs.at[j];
			const struct blocks_thread *t = blocks_thread(b, p->tid);

			if (!t && p->tseq != 0)
				gone = k;
			else if (t && after == 0 && p->tseq >= since[t - b->threads.at])
				after = k;
		}
	}
	mem_free(since);
	if (!any)
		return gone ? gone + 1 : 0;
	if (after == 0)
		return c->cuts.n + 1;
	return (gone > after ? gone : after) + 1;
}

uint32_t portion_chunk(const struct blocks_thread *t, uint64_t count)
{
	uint32_t number = t->first;

	for (size_t i = 0; i < t->chunks.n; i++) {
		const struct blocks_chunk *k = &t->chunks.at[i];

		if (k->number > number && k->number < t->count && k->first_tseq <= count)
			number = k->number;
	}
	return number;
}

void portion_choose(struct portion *s, struct blocks *b, const struct control *c, uint64_t from_cut,
		    uint64_t to_cut)
{
	uint64_t *count, *ends;

	memset(s, 0, sizeof(*s));
	s->cut = dropped_before(b, c);
	if (from_cut > s->cut)
		s->cut = from_cut;
	if (s->cut > c->cuts.n + 1)
		s->cut = c->cuts.n + 1;
	s->ends = to_cut != 0 && to_cut <= c->cuts.n;
	count = counts_at(b, c, s->cut ? s->cut - 1 : 0);
	ends = counts_at(b, c, to_cut < s->cut ? 0 : to_cut); /* it may end before it can begin */
	for (size_t i = 0; i < b->threads.n; i++)
		*VEC_PUSH(&s->at) = (struct portion_start){
			.chunk = portion_chunk(&b->threads.at[i], count[i]),
			.end = s->ends ? ends[i] : UINT64_MAX,
		};
	mem_free(count);
	mem_free(ends);
}

void portion_release(struct portion *s)
{
	VEC_RELEASE(&s->at);
}
