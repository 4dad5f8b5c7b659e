/*
 * One event of a run, as every reader yields it and every engine takes it.
 *
 * Events come in one linear order (trace/trace.h).  `pos' is the 1-based position
 * in that order: the number that `foresee print' shows, that findings and
 * witnesses name, and for STD text the number of the event (comment lines,
 * blank lines and the #fmt line are not counted).
 *
 * Ownership: pointers inside an event are borrowed from the reader and die
 * with the next trace_next().
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include "base/common.h"
#include "trace/predicate.h"

enum event_op {
#define EVENT(id, name, family, object, life, operand, marks, flags) EVENT_##id,
#include "trace/events.def"
#undef EVENT
	EVENT_NOPS
};

/* What lies at an event's address.  Equal names in text are two things if these differ. */
enum event_object {
	EVENT_OBJECT_MEMORY,
	EVENT_OBJECT_LOCK,
	EVENT_OBJECT_CONDITION,
	EVENT_OBJECT_BARRIER,
	EVENT_OBJECT_SEMAPHORE,
	EVENT_OBJECT_ONCE,
	EVENT_OBJECT_CHANNEL,
	EVENT_OBJECTS,
	EVENT_OBJECT_WORDS = EVENT_OBJECTS, /* what a user event is for: kinds, no names */
	EVENT_OBJECT_NONE
};

/* What an event is to the life of its object. */
#define EVENT_LIFE_MAKES 1u /* the object begins here */
#define EVENT_LIFE_ENDS 2u  /* it is destroyed */
#define EVENT_LIFE_TOUCHES \
	4u		     /* the call goes to its memory: once that is freed, a use after free */
#define EVENT_LIFE_USES 8u   /* the call needs it made and not destroyed: it may race with both */
#define EVENT_LIFE_FIRST 16u /* recorded when it is called; others, when they are done */
#define EVENT_LIFE_KEEPS 32u /* names the object's version and replaces it by none */

/* Flags. */
#define EVENT_FREE_READ 1u   /* READ, RMW: the read part is free (else binding) */
#define EVENT_ATOMIC 2u	     /* an atomic access; `order' holds its memory order */
#define EVENT_REREAD 4u	     /* READ: the recorder's closing read of a run of equal reads */
#define EVENT_UNKNOWN 8u     /* READ, RMW: its writer is unknown (unseen code wrote) */
#define EVENT_HAS_VALUE 16u  /* value (and old, for RMW) are known */
#define EVENT_WRITE_MODE 32u /* ACQ/REL/REQ of a read-write lock */
#define EVENT_TRY \
	64u /* lock family, PARK, JOIN, JOINING: by a try or timed call: cannot block for ever */
#define EVENT_RECURSIVE 128u /* ACQ/REL of a lock that nests */
#define EVENT_IN_WAIT 256u   /* REL/ACQ as part of a condition wait */
#define EVENT_TIMEOUT 512u   /* WAKE: the wait timed out */
#define EVENT_CAS 1024u	     /* READ: a compare-and-swap that failed; RMW: one that succeeded */
#define EVENT_ZEROED 2048u   /* ALLOC: the bytes are zero */
#define EVENT_COPY 4096u /* WRITE: its feeds name the first of several ranged reads, and mean all */
#define EVENT_VOLATILE 8192u
#define EVENT_DEAD_OWNER 32768u /* ACQ: a robust mutex taken from a thread that died */
#define EVENT_SHARED 65536u	/* ALLOC: others may write to it, unseen: a mapped file */
/* TRYFAIL, SEM_FAIL, JOIN_FAIL: the call was refused for a reason that is not in the trace (the lock
 * was destroyed, the caller is not its owner, ...).  Else: the lock was taken, the semaphore at
 * zero, the thread had not ended. */
#define EVENT_REFUSED 131072u
#define EVENT_STEADY 262144u /* ALLOC: the process cannot write to it: a file mapped for reading */
#define EVENT_READS 524288u /* OPAQUE: what runs there reads, and writes nothing of the program's */
#define EVENT_BEGUN \
	1048576u /* WRITE: by a call that goes on writing until the thread's next event */
#define EVENT_SCOPE 2097152u /* FREE: of a local variable, whose scope has ended */
#define EVENT_PART \
	4194304u /* READ, WRITE, FREE: more words of the record that its last event was of */
#define EVENT_CANCELLED 8388608u /* WAKE: its thread is being cancelled */
#define EVENT_TESTED 16777216u	 /* READ, RMW: free but for its tests */
/* Of functions that are meant to be atomic (trace/atomic.h), since the thread's event before: an
 * outermost call of one has ended, has begun; with both, in this order. */
#define EVENT_LEFT 33554432u
#define EVENT_ENTERED 67108864u
#define EVENT_LOOKS \
	134217728u	   /* READ, RMW: what is read is compared, and nothing else comes of it */
#define EVENT_RANGE 16384u /* one event number per word: refs[i] belongs to number tseq + i */

/* Where GIVE and TAKE at the start of a trace that begins in the middle meet (merge/prologue.h): no address
 * of any program. */
#define EVENT_GATE UINT64_C(0xffff800000000000)

/* A version: the event of thread tid numbered tseq; tid 0 is INIT. */
struct version {
	uint32_t tid;
	uint64_t tseq;
};

struct event {
	uint64_t pos;
	/* Number within the thread; a range piece: of its first word.  0: no event of the run, but put
	 * at the start of a trace that begins in the middle (merge/prologue.h). */
	uint64_t tseq;
	uint32_t tid;	   /* thread, from 1 */
	uint8_t op;	   /* enum event_op */
	uint8_t order;	   /* C11 memory order, when EVENT_ATOMIC or FENCE */
	uint8_t rmw;	   /* enum foresee_rmw_op, for RMW */
	uint8_t lock_kind; /* FORMAT_LOCK_*; GIVE, TAKE: FORMAT_CHANNEL_*; USER: FORMAT_USER_* */
	uint32_t flags;
	uint32_t site;	/* 0 unknown (trace_site) */
	uint32_t stack; /* call stack; 0 empty (trace_stack) */
	/* Its frames; how many, the outermost ones, are the same calls as at the thread's event before:
	 * the others were made since.  Fewer than is true where that is not known. */
	uint32_t depth, stayed;

	/* What it is about: a memory range, or the address of an object.  Text
	 * traces have no addresses; a name's id times 8 stands in for one, and
	 * name spaces do not overlap (text/std_read.c). */
	uint64_t addr;
	uint64_t len; /* bytes; accesses, ALLOC, FREE, USER */

	/* Accesses.  Bytes in memory order; read value, or written value.
	 * NULL without EVENT_HAS_VALUE. */
	const uint8_t *value;
	const uint8_t *old; /* RMW: the bytes it replaced */

	/* One per word touched: the version seen (READ, RMW) or replaced (WRITE,
	 * RMW, FREE); for synchronisation: refs[0], the previous operation on
	 * the object.  NULL in text traces, where trace order decides. */
	const struct version *refs;
	uint32_t nrefs;

	/* WRITE, RMW, USE: event numbers (tseq) of the free reads of this thread that feed it. */
	uint32_t nfeeds;
	const uint64_t *feeds;
	/* READ, RMW, with EVENT_FREE_READ: what decides by the value is these comparisons alone, right here;
	 * elsewhere it is free.  USE: what its feeds are compared with; one that no test names decides by
	 * all it is. */
	uint32_t ntests;
	const struct predicate *tests;

	/* FORK, JOIN, JOINING, JOIN_FAIL, DETACH, CANCEL, FORK_FAIL: the other thread; THREAD_BEGIN: the parent (0 unknown).
	 * WAKE: thread of the signal (0: woke by none). */
	uint32_t peer;
	uint64_t peer_tseq; /* THREAD_BEGIN: its FORK; JOIN: the END; WAKE: the signal */
	/* PARK: mutex address.  BAR_*: generation or count.  SEM_INIT: value.
	 * SIGNAL, BROADCAST: waiters seen. */
	uint64_t arg;
	/* USER: name and arguments, varints of signed numbers as they are; of FORMAT_USER_NAMES and
	 * FORMAT_USER_BENIGN the length, and addr and len are the memory meant (text: unknown).
	 * BEGIN: name of the block or NULL. */
	const char *name;
	const uint8_t *data;
	uint32_t ndata;
};

const char *event_op_name(enum event_op op);
char event_op_family(enum event_op op);
enum event_object event_op_object(enum event_op op);
unsigned event_op_life(enum event_op op); /* EVENT_LIFE_* */
/* A synchronisation object: how many bytes, from addr, are the library's own; 1 when unknown. */
uint32_t event_object_size(const struct event *e);

/* The arguments of a USER, one after the other: *at begins at 0.  False: no more. */
bool event_argument(const struct event *e, uint32_t *at, int64_t *out);

#endif /* TRACE_EVENT_H */
