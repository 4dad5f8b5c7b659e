/*
 * The log: records of one thread, encoded into its slot of the trace file.
 *
 * Everything rare - a full chunk, a changed stack, a new peer - is in log.c.  Records of accesses:
 * habit.h.
 *
 * Rules: all functions run in the owning thread with view.live == 0 (between
 * hook_enter and hook_leave).  The record's head is stored last, so that a
 * killed program leaves whole records only.
 */
#ifndef CAPTURE_LOG_H
#define CAPTURE_LOG_H

#include "capture/thread.h"

/* Room that every record may take without asking: an access with its feeds, or
 * an OTHER head and a small payload. */
#define LOG_SLACK 256u

/* Makes room and states whatever changed since the last record: the stack. */
void log_catch_up(struct thread *t, uint32_t site) COLD;

/* A PEER record for tid. */
void log_peer(struct thread *t, uint32_t tid) COLD;

static inline bool log_is_ready(const struct thread *t)
{
	return t->cursor < t->limit && t->view.depth == t->logged_depth &&
	       t->view.low == t->logged_depth;
}

static inline void log_ready(struct thread *t, uint32_t site)
{
	if (UNLIKELY(!log_is_ready(t)))
		log_catch_up(t, site);
}

/* The name of this thread's next event but `ahead' - 1. */
static inline tag_version log_next(const struct thread *t, unsigned ahead)
{
	return t->names + t->tseq + ahead;
}

/* Can v be named without a PEER record? */
static inline bool log_is_known(const struct thread *t, tag_version v)
{
	uint32_t tid = tag_tid(v);

	return v == 0 || tid == t->tid || t->peers[tid & (FORMAT_PEERS - 1)].tid == tid;
}

/* How event number `own' of this thread names v, which is known. */
static inline uint64_t log_name(const struct thread *t, tag_version v, uint64_t own)
{
	uint32_t tid = tag_tid(v), seat = tid & (FORMAT_PEERS - 1);

	if (v == 0)
		return 0;
	if (tid == t->tid)
		return (own - tag_tseq(v)) << 1;
	return format_zigzag((int64_t)(tag_tseq(v) - t->peers[seat].tseq)) << 5 | seat << 1 | 1;
}

/* The next name of an event of that thread counts from v. */
static inline void log_named(struct thread *t, tag_version v)
{
	uint32_t tid = tag_tid(v);

	if (v != 0 && tid != t->tid)
		t->peers[tid & (FORMAT_PEERS - 1)].tseq = tag_tseq(v);
}

static inline uint64_t log_ref(struct thread *t, tag_version v, uint64_t own)
{
	uint64_t ref;

	if (UNLIKELY(!log_is_known(t, v)))
		log_peer(t, tag_tid(v));
	ref = log_name(t, v, own);
	log_named(t, v);
	return ref;
}

static inline unsigned log_bytes(uint64_t v)
{
	return v == 0 ? 0 : (71 - (unsigned)__builtin_clzll(v)) >> 3;
}

static inline uint8_t *log_varint(uint8_t *p, uint64_t v)
{
	while (UNLIKELY(v >= 0x80)) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Several, one behind the other: up to seven.  Returns where they end. */
#define LOG_NUMBERS(p, ...)                                                               \
	LOG_PICK(__VA_ARGS__, LOG_SEVEN, LOG_SIX, LOG_FIVE, LOG_FOUR, LOG_THREE, LOG_TWO, \
		 LOG_ONE, )                                                               \
	(p, __VA_ARGS__)
#define LOG_PICK(a, b, c, d, e, f, g, name, ...) name
#define LOG_ONE(p, a) log_varint(p, a)
#define LOG_TWO(p, a, ...) LOG_ONE(log_varint(p, a), __VA_ARGS__)
#define LOG_THREE(p, a, ...) LOG_TWO(log_varint(p, a), __VA_ARGS__)
#define LOG_FOUR(p, a, ...) LOG_THREE(log_varint(p, a), __VA_ARGS__)
#define LOG_FIVE(p, a, ...) LOG_FOUR(log_varint(p, a), __VA_ARGS__)
#define LOG_SIX(p, a, ...) LOG_FIVE(log_varint(p, a), __VA_ARGS__)
#define LOG_SEVEN(p, a, ...) LOG_SIX(log_varint(p, a), __VA_ARGS__)

static inline uint64_t log_delta(struct thread *t, uint32_t site, uint64_t addr)
{
	uint64_t *last = &t->predict[site & (FORMAT_PREDICT - 1)];
	uint64_t z = format_zigzag((int64_t)(addr - *last));

	*last = addr;
	return z;
}

static inline void log_commit(uint8_t *at, uint32_t head)
{
	__asm__ volatile("" ::: "memory");
	memcpy(at, &head, 4);
}

static inline void log_count(struct thread *t, uint64_t events)
{
	__atomic_store_n(&t->tseq, t->tseq + events, __ATOMIC_RELAXED);
}

/*
 * A small OTHER record: log_other_begin says where the payload goes (at least LOG_SLACK - 4
 * bytes), log_other_end takes where it ended.  For records of up to `need' bytes use log_other_room
 * first.  The payload of a kind behind FORMAT_K_MORE begins with format_kind_more.
 */
uint8_t *log_other_begin(struct thread *t, uint32_t site);
void log_other_end(struct thread *t, unsigned kind, unsigned aux, uint8_t *end, uint64_t events);
/* Like log_other_begin, with room for need bytes (at most 16 KiB). */
uint8_t *log_other_room(struct thread *t, uint32_t site, size_t need);

/*
 * Feeds.  A keeper holds the number of the free read's last event, and in its
 * top byte how many more there were (a vector touches several words).
 */
#define LOG_KEEPER_WORDS 4u /* a free read of more words is made binding */
#define LOG_FEEDS (FORESEE_FEEDS * LOG_KEEPER_WORDS)
#define LOG_KEEPER_SHIFT 56

static inline uint64_t log_keeper(uint64_t last, size_t words)
{
	return last | (uint64_t)(words - 1) << LOG_KEEPER_SHIFT;
}

/* The event numbers in the keepers that mask names; returns how many. */
static inline unsigned log_feed_gather(const uint64_t *keepers, uint64_t mask,
				       uint64_t out[LOG_FEEDS])
{
	unsigned n = 0;

	for (; mask != 0; mask &= mask - 1) {
		uint64_t s = keepers[__builtin_ctzll(mask)];

		if (s == 0)
			continue;
		for (uint64_t more = s >> LOG_KEEPER_SHIFT;; more--) {
			if (n < LOG_FEEDS)
				out[n++] = (s << 8 >> 8) - more;
			if (more == 0)
				break;
		}
	}
	return n;
}

static inline uint8_t *log_feeds(uint8_t *p, const uint64_t *feeds, unsigned n, uint64_t own)
{
	p = log_varint(p, n);
	for (unsigned i = 0; i < n; i++)
		p = log_varint(p, own - feeds[i]);
	return p;
}

/* Runs of versions, as ranges name them, of words whose events come next, one each. */
uint8_t *log_runs(struct thread *t, uint8_t *p, const tag_version *v, size_t n);
/* Before log_runs: makes sure every thread named has its PEER record. */
void log_runs_prepare(struct thread *t, const tag_version *v, size_t n);

/* Moves the chunk to a larger slot; pointers into it become invalid.  False: there is no larger
 * one. */
bool log_grow(struct thread *t);
/* Is there room for a TRAILING record? */
bool log_trailing_room(struct thread *t);

/* The thread's first chunk; false: recording has stopped. */
bool log_open(struct thread *t);
/* The thread's last chunk goes to the file. */
void log_close(struct thread *t);

/* ---- the file as a whole ---- */

struct log_options {
	bool follow;	   /* --follow-fork */
	bool full;	   /* no filtering */
	bool partial;	   /* some accesses are left out by request */
	bool locks;	   /* all of them are: the lock recorder */
	uint64_t linger;   /* milliseconds that remaining threads may go on at the end */
	uint64_t keep;	   /* bytes of closed chunks to keep; 0: all */
	const char *asked; /* all of these as they were given, one a line; NULL: none were */
	/* For tests: a cut after so many bytes, in chunks of half as many; 0: as usual. */
	uint64_t cut;
};

/* Creates the trace.  False, errno set: it cannot. */
bool log_start(const char *path, const struct log_options *opt);
/* Threads are known and numbered as if there were a trace, and there is none. */
void log_silent(void);
/* The run is over. */
void log_finish(int status);
/* In a forked child: forget the file without touching it. */
void log_abandon(void);
/* For a fork that the recording follows (fork.c).  Is t the only thread with an open log?  Are its
 * slots there in the child (MADV_DOFORK), or not? */
bool log_is_alone(const struct thread *t);
void log_share(struct thread *t, int advice);
/* About how many events the running threads have recorded. */
uint64_t log_events(void);
/* Calls f for every thread with an open log. */
void log_each(void (*f)(struct thread *t));
/* Closes all runs of dropped reads.  For a process that is about to be killed; in the thread
 * itself, which may have been interrupted in a hook and will not go on with it. */
void log_settle(struct thread *t);
bool log_is_on(void);
bool log_is_full(void);
/* This thread records no more. */
void log_mute(struct thread *t);
/* The same, from the middle of a hook that will not go on; releases the locks that the hook holds.
 * Unless the process ends now, log_trouble must follow. */
void log_leave(struct thread *t);

/* Stops recording for good; the reason goes into the trace. */
void log_trouble(const char *what, int error);

/* Control stream; any thread, takes a lock inside. */
void log_control(unsigned kind, const void *payload, size_t n);
/* A note for whoever reads the trace, by a format that text.h knows. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* C_STEADY or C_HIDDEN of [addr, addr + n). */
void log_control_memory(unsigned kind, uintptr_t addr, uint64_t n);
/* Several control records under one lock. */
void log_control_lock(void);
void log_control_put(unsigned kind, const void *payload, size_t n);
void log_control_unlock(void);

#endif /* CAPTURE_LOG_H */
