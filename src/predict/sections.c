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

/* Of the acquires of a lock by one chain: the latest that excludes and is in the cut. */
static uint32_t latest_of(const struct model *m, struct model_list list, bool shared,
			  uint32_t count)
{
	uint32_t past = model_list_within(m, list, count);

	while (shared && past > 0 && m->event[list.at[past - 1]].op == STEP_RACQ)
		past--;
	return past > 0 ? list.at[past - 1] : 0;
}

bool section_is_passed(const struct model *m, uint32_t acquire, const uint32_t *cut)
{
	const struct model_event *a = &m->event[acquire];

	for (uint32_t i = 0; i < model_lock_nchains(m, a->obj); i++) {
		uint32_t chain;
		struct model_list list = model_lock_nth(m, a->obj, i, &chain);

		if (chain != a->chain && cut[chain] != 0 && list.at[list.n - 1] > acquire &&
		    latest_of(m, list, a->op == STEP_RACQ, cut[chain]) > acquire)
			return true;
	}
	return false;
}
