#include "replay/draft.h"

void draft_release(struct draft *d)
{
	for (size_t i = 0; i < d->threads.n; i++) {
		struct draft_thread *t = &d->threads.at[i];

		MAP_RELEASE_ALL(&t->counts, &t->seen, &t->lasting);
		VEC_RELEASE_ALL(&t->keys, &t->words);
	}
	VEC_RELEASE_ALL(&d->items, &d->order, &d->threads, &d->edges);
}

uint32_t draft_whole(const struct draft *d, uint32_t item)
{
	const struct draft_item *it = &d->items.at[item];
	uint32_t target = d->threads.at[it->thread].target;

	if (it->class != PLAN_RANGE && it->class != PLAN_FREE)
		return item;
	return target != DRAFT_NONE && d->items.at[target].head == it->head ? target : it->head;
}

bool draft_arrives(const struct draft *d, const struct draft_item *it)
{
	if (it->far)
		return false;
	if (it->gate != DRAFT_NONE)
		return !d->items.at[it->gate].polls;
	return !d->threads.at[it->thread].follow.polls;
}
