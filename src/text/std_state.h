/*
 * What a text trace has done so far, to tell whether its next event can
 * happen: threads started and joined, locks held, blocks open, and which
 * events may still be named as feeds.
 *
 * Memory: grows with threads and locks, not with events (std_history.h).
 */
#ifndef TEXT_STD_STATE_H
#define TEXT_STD_STATE_H

#include "trace/event.h"

struct std_state;
struct std_names;

/* named: std_state_read will be asked for earlier reads (#fmt 1). */
struct std_state *std_state_new(const struct std_names *names, bool named);
void std_state_free(struct std_state *s); /* NULL is fine */

/*
 * Checks e, an event with tid, op, addr, peer and number `number' in the file,
 * and if it can happen takes it in: sets tseq, EVENT_RECURSIVE of nested
 * acquires, and peer_tseq of joins and thread beginnings.  False, with why and
 * nothing changed, when it cannot.
 */
bool std_state_take(struct std_state *s, struct event *e, uint64_t number, char *why, size_t size);

/* Number within its thread of the read `number' of thread tid; false: no such read. */
bool std_state_read(const struct std_state *s, uint32_t tid, uint64_t number, uint64_t *tseq);
/* Thread and number of the signal or broadcast `number'. */
bool std_state_signal(const struct std_state *s, uint64_t number, uint32_t *tid, uint64_t *tseq);

/* What the next event of tid will be numbered within its thread. */
uint64_t std_state_next(const struct std_state *s, uint32_t tid);

#endif /* TEXT_STD_STATE_H */
