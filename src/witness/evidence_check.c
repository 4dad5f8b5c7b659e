/*
 * What the checker takes for granted of evidence that is loaded; for tests.
 */

#include "witness/evidence_priv.h"

/* Words ascend, and nothing is seen that came later. */
static void words_check(const struct evidence *ev, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(ev, pos);

	assert((uint64_t)it->words + it->nwords <= ev->words.n);
	for (uint32_t i = 0; i < it->nwords; i++) {
		const struct evidence_word *w = &ev->words.at[it->words + i];

		assert(w->cell != 0 && w->cell < ev->cells.n);
		assert(i == 0 || ev->cells.at[w[-1].cell].word < ev->cells.at[w->cell].word);
		if (w->seen & EVIDENCE_MIXED)
			assert((w->seen & ~EVIDENCE_MIXED) < ev->mixed.n);
		else
			assert(w->seen < pos);
	}
}

static void item_check(const struct evidence *ev, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(ev, pos);

	assert(it->tid < ev->threads.n && it->index < ev->threads.at[it->tid].events.n);
	assert(ev->threads.at[it->tid].events.at[it->index] == pos);
	if (it->op == EVENT_READ || it->op == EVENT_WRITE || it->op == EVENT_RMW ||
	    it->op == EVENT_FREE)
		words_check(ev, pos);
	if (it->op == EVENT_WRITE || it->op == EVENT_RMW)
		for (uint32_t i = 0; i < it->nfeeds; i++)
			assert(ev->feeds.at[it->feeds + i] <= pos);
}

static void thread_check(const struct evidence *ev, const struct evidence_thread *t)
{
	for (size_t i = 1; i < t->events.n; i++)
		assert(t->events.at[i - 1] < t->events.at[i]);
	for (size_t i = 0; i < t->holds.n; i++)
		assert(t->holds.at[i].held < ev->held.n &&
		       (i == 0 || t->holds.at[i - 1].index < t->holds.at[i].index));
	for (size_t i = 1; i < t->reads.n; i++)
		assert(t->reads.at[i - 1].tseq < t->reads.at[i].tseq);
}

void evidence_check(const struct evidence *ev)
{
	if (ev->brief)
		return;
	for (uint32_t pos = 1; pos < ev->items.n; pos++)
		item_check(ev, pos);
	for (size_t i = 0; i < ev->threads.n; i++)
		thread_check(ev, &ev->threads.at[i]);
	for (size_t i = 1; i < ev->held.n; i++)
		assert(ev->held.at[i].below < i && ev->held.at[i].acquire < ev->items.n);
	for (size_t i = 1; i < ev->objects.n; i++)
		assert(ev->objects.at[i].older < i && ev->objects.at[i].cell < ev->cells.n);
	for (size_t i = 1; i < ev->trailing.n; i++)
		assert(ev->trailing.at[i - 1].free <= ev->trailing.at[i].free);
	for (size_t i = 1; i < ev->reach.n; i++)
		assert(ev->reach.at[i - 1].pos <= ev->reach.at[i].pos);
	for (size_t i = 1; i < ev->unseen.n; i++)
		assert(ev->unseen.at[i - 1].pos <= ev->unseen.at[i].pos &&
		       ev->unseen.at[i - 1].tid != ev->unseen.at[i].tid);
}
