/*
 * Within a chain the sections of a lock follow each other, so of all acquires of a lock in a cut
 * only the latest of each chain can be open, and only the latest matters to the others.
 */
#include "predict/sections.h"

uint32_t section_open(const struct model *m, uint32_t chain, const uint32_t *cut)
{
	if (cut[chain] == 0)
		return 0;
	return model_hold_after(m, model_chain(m, chain).at[cut[chain] - 1]);
}

uint32_t section_latest(const struct model *m, uint32_t lock, bool shared, uint32_t chain,
			const uint32_t *cut)
{
	struct model_list events = model_chain(m, chain), list;
	uint32_t bound, low = 0, high;

	if (cut[chain] == 0)
		return 0;
	list = model_lock_chain(m, lock, chain);
	bound = events.at[cut[chain] - 1];
	high = list.n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (list.at[mid] <= bound)
			low = mid + 1;
		else
			high = mid;
	}
	while (shared && low > 0 && m->event[list.at[low - 1]].op == STEP_RACQ)
		low--;
	return low > 0 ? list.at[low - 1] : 0;
}

bool section_is_passed(const struct model *m, uint32_t acquire, const uint32_t *cut)
{
	const struct model_event *a = &m->event[acquire];

	for (uint32_t v = 0; v < m->nchains; v++)
		if (v != a->chain &&
		    section_latest(m, a->obj, a->op == STEP_RACQ, v, cut) > acquire)
			return true;
	return false;
}
