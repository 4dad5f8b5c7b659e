/*
 * What the records of accesses (src/capture/habit.c) need of a log, as this tool has it.
 *
 * The tool is compiled with its own directory before src/, so that habit.h finds this file where the runtime's
 * threads and their logs would be.
 */
#ifndef VALGRIND_CAPTURE_LOG_H
#define VALGRIND_CAPTURE_LOG_H

#include <stdbool.h>
#include <string.h>

#include "capture/hint.h"
#include "tool.h"

#define LOG_SLACK 256u /* one record, and what must come before it */

#define ASSERT_RECORDING(good)   \
	({                       \
		tl_assert(good); \
		true;            \
	})

typedef version tag_version;

static inline tag_version tag_make(uint32_t tid, uint64_t tseq)
{
	return (tag_version)tid << FORMAT_TSEQ_BITS | tseq;
}

static inline uint32_t tag_tid(tag_version v)
{
	return (uint32_t)(v >> FORMAT_TSEQ_BITS);
}

static inline uint64_t tag_tseq(tag_version v)
{
	return v & (((uint64_t)1 << FORMAT_TSEQ_BITS) - 1);
}

/* The name of this thread's next event but `ahead' - 1. */
static inline tag_version log_next(const struct thread *t, unsigned ahead)
{
	return tag_make(t->tid, t->tseq + ahead);
}

static inline void log_ready(struct thread *t, uint32_t site)
{
	(void)site;
	record_ready(t, LOG_SLACK);
}

static inline bool log_is_known(const struct thread *t, tag_version v)
{
	return v == 0 || tag_tid(v) == t->tid ||
	       t->peers[tag_tid(v) & (FORMAT_PEERS - 1)].tid == tag_tid(v);
}

/* How event number own of t names v, which it knows. */
static inline uint64_t log_name(const struct thread *t, tag_version v, uint64_t own)
{
	uint32_t seat = tag_tid(v) & (FORMAT_PEERS - 1);

	if (v == 0)
		return 0;
	if (tag_tid(v) == t->tid)
		return (own - tag_tseq(v)) << 1;
	return format_zigzag((int64_t)(tag_tseq(v) - t->peers[seat].tseq)) << 5 | seat << 1 | 1;
}

static inline void log_named(struct thread *t, tag_version v)
{
	if (v != 0 && tag_tid(v) != t->tid)
		t->peers[tag_tid(v) & (FORMAT_PEERS - 1)].tseq = tag_tseq(v);
}

static inline uint64_t log_ref(struct thread *t, tag_version v, uint64_t own)
{
	record_meet(t, v);
	return record_ref(t, v, own);
}

static inline unsigned log_bytes(uint64_t v)
{
	return v == 0 ? 0 : (71 - (unsigned)__builtin_clzll(v)) >> 3;
}

static inline uint8_t *log_varint(uint8_t *p, uint64_t v)
{
	return put_varint(p, v);
}

#define LOG_NUMBERS(p, a, b) log_varint(log_varint(p, a), b)

static inline uint8_t *log_feeds(uint8_t *p, const uint64_t *feeds, unsigned n, uint64_t own)
{
	(void)n; /* 1 */
	return log_varint(log_varint(p, 1), own - *feeds);
}

static inline void log_count(struct thread *t, uint64_t events)
{
	t->tseq += events;
}

static inline void log_other_end(struct thread *t, unsigned kind, unsigned aux, uint8_t *end,
				 uint64_t events)
{
	record_end(t, kind, aux, end, events);
}

#endif /* VALGRIND_CAPTURE_LOG_H */
