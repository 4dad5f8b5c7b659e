/*
 * Records of loads and stores, in the form that the runtime has for them (src/capture/habit.h).
 *
 * Most of what is recorded is a plain load or store of one word, so each of both has a copy of its own.
 */
#include "capture/habit.h"

void record_access(struct thread *t, const struct access *a)
{
	const struct habit_more more = { .second = a->second, .feeds = &a->feed, .nfeeds = 1 };

	log_ready(t, a->site);
	habit_log_long(t, a->what | (unsigned)a->order << HABIT_ORDER_SHIFT, a->site, a->addr,
		       a->first, a->value, &more);
}

void record_load(struct thread *t, uint32_t site, Addr a, unsigned log2, Bool is_free, version v,
		 uint64_t value)
{
	habit_log(t,
		  FORMAT_READ | (log2 & 3) << FORMAT_SIZE_SHIFT | (is_free ? FORMAT_READ_FREE : 0),
		  site, a, v, value, NULL);
}

void record_store(struct thread *t, uint32_t site, Addr a, unsigned log2, Bool fed, version v,
		  uint64_t value)
{
	habit_log(t, FORMAT_WRITE | (log2 & 3) << FORMAT_SIZE_SHIFT | (fed ? FORMAT_WRITE_FED1 : 0),
		  site, a, v, value, NULL);
}
