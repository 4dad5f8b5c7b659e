/*
 * Which events of one thread may still be named by a later one: pairs of the
 * number in the trace and the number in the thread, in order.
 *
 * Feeds count events of the trace in text and events of the thread in
 * memory; both directions are looked up here.  Only the newest
 * STD_HISTORY entries are sure to be kept, so that memory stays bounded.
 */
#ifndef TEXT_STD_HISTORY_H
#define TEXT_STD_HISTORY_H

#include "base/common.h"

#define STD_HISTORY (1u << 20)

struct std_past {
	uint64_t pos;
	uint64_t tseq, count; /* numbers tseq .. tseq + count - 1 */
};

struct std_history {
	VEC(struct std_past) past;
};

void std_history_add(struct std_history *h, uint64_t pos, uint64_t tseq, uint64_t count);
void std_history_release(struct std_history *h);

/* False when it never was there, or is forgotten. */
bool std_history_tseq(const struct std_history *h, uint64_t pos, uint64_t *tseq);
bool std_history_pos(const struct std_history *h, uint64_t tseq, uint64_t *pos);

#endif /* TEXT_STD_HISTORY_H */
