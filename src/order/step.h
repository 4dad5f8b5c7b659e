/*
 * Events in their simplest form: what every engine consumes.
 *
 * The reader's events are many kinds over raw addresses.  steps_next turns them
 * once into reads and writes of cells, acquires and releases of locks, and
 * edges; engines know nothing else.  doc/SEMANTICS.md, section 1, is in step.c alone.
 *
 * Cells.   A cell is a run of bytes inside one 8-byte word that all accesses so far touch
 *          together.  When an access touches only some of them the cell is split: STEP_SPLIT
 *          says that cell `obj' has lost bytes to the new cell `other', whose past is the same.
 *          An allocation, a frame's variable or a new stack gives fresh cells (never touched,
 *          initial value).  FREE writes every byte of its block, touched before or not; cells
 *          that are made there later are split from what FREE wrote.  They are DROPped when the
 *          memory is given out again.
 * Lives.   A mutex, condition, barrier or semaphore has a cell of its own, its life.  Calls that use
 *          it read that (STEP_USES), atomically; its init (STEP_RENEWS) and the FREE of its memory
 *          write it, and its destroy does both.  So in no reordering is it used before its init or after its
 *          end, and a use may race with those.  The cell is `life' of such a step.
 * Chains.  A chain is a sequence of threads each of which was forked after the one before had
 *          been joined, by the same thread or its heirs: one clock component.  Two events of
 *          one chain are always ordered.
 * Locks.   Only the outermost acquire and release of a lock that nests are left.
 * Edges.   FORK, JOIN; PUT/GET over a channel: every PUT so far into the channel comes before
 *          the GET, in every reordering and for happens-before.  AFTER and GUARD say more for
 *          reorderings only.
 *
 * One event makes one step or several; all but the first have STEP_MORE and the same pos.
 * SPLIT, DROP, FORGET, LEFT and ENTERED are no events and always have STEP_MORE: SPLITs come just before
 * the step that makes them, as do LEFT and ENTERED; a DROP may even come in the next batch.
 *
 * Ownership: a batch is borrowed, good until the next steps_next or steps_free.
 */
#ifndef ORDER_STEP_H
#define ORDER_STEP_H

#include "base/common.h"
#include "trace/predicate.h"

struct event;
struct trace;

/*
 * X(id, name).  `obj' is the lock, the channel, the other chain or the cell.
 *	NONE	program order only
 *	FREE	a write of the cells of a block; never atomic
 *	FORK	`obj': the child's chain, `other': the child's tid.  JOIN: the same
 *	PUT GET	`obj': channel
 *	POST TAKE ZERO  `obj': semaphore; one more, one less, a wait that found none.  `other': how
 *		many there were.  What follows with STEP_PAIRED says which post a wait took
 *	BUSY	`obj': lock; a try that failed, for another thread held it.  STEP_READERS: or read it.
 *		What follows with STEP_PAIRED says which one
 *	AFTER	this event comes after event `from', of chain `obj'; no happens-before
 *	GUARD	where event `when' is part of a reordering, `from' (of chain `obj') comes before `to'
 *		if both are
 *	USE	the reads in feeds decide something here; of one that tests name, only the outcomes of those
 *	REQ	`obj': lock; it was asked for and the thread had to wait.  Program order only.
 *		RREQ: in read mode.  JOINING: as JOIN, but not over yet and no edge
 *	PARK	`obj': condition; the wait begins.  The REL before it is part of the same call: both
 *		happen at once.  STEP_TRY: a timed wait
 *	NOTIFY	`obj': condition; a signal or broadcast.  Its PUT follows
 *	LOOSE	`obj': lock that somebody else releases than its holder; so it tells nothing about
 *		who waits for whom, before and after
 *	SPLIT	not an event: cell `other' takes the bytes addr, len of cell `obj', with its past
 *	DROP	not an event: cell `obj' will not be named again until it is made anew
 *	FORGET	not an event: channel `obj' will not be named again until it is made anew
 *	LEFT ENTERED  not events: before the thread's next event a call of a function that is meant to be
 *		atomic has ended, has begun (trace/atomic.h)
 */
#define STEP_OPS(X)             \
	X(NONE, "none")         \
	X(READ, "read")         \
	X(WRITE, "write")       \
	X(RMW, "rmw")           \
	X(FREE, "free")         \
	X(ACQ, "acquire")       \
	X(REL, "release")       \
	X(RACQ, "read lock")    \
	X(RREL, "read unlock")  \
	X(FORK, "fork")         \
	X(JOIN, "join")         \
	X(PUT, "put")           \
	X(GET, "get")           \
	X(POST, "post")         \
	X(TAKE, "take")         \
	X(ZERO, "zero")         \
	X(BUSY, "busy")         \
	X(AFTER, "after")       \
	X(GUARD, "guard")       \
	X(FENCE, "fence")       \
	X(USE, "use")           \
	X(OPAQUE, "opaque")     \
	X(BEGIN, "begin")       \
	X(END, "end")           \
	X(REQ, "request")       \
	X(RREQ, "read request") \
	X(JOINING, "joining")   \
	X(PARK, "park")         \
	X(NOTIFY, "notify")     \
	X(LOOSE, "loose")       \
	X(SPLIT, "split")       \
	X(DROP, "drop")         \
	X(FORGET, "forget")     \
	X(LEFT, "left")         \
	X(ENTERED, "entered")

enum step_op {
#define X(id, name) STEP_##id,
	STEP_OPS(X)
#undef X
		STEP_NOPS
};

/* Flags. */
#define STEP_MORE 1u	  /* belongs to the event of the step before */
#define STEP_FREE_READ 2u /* READ, RMW: the read is free, else binding */
#define STEP_ATOMIC 4u	  /* access: atomic; no race with another atomic one */
#define STEP_ACQUIRE 8u	  /* atomic access or fence: acquires */
#define STEP_RELEASE 16u  /* atomic access or fence: releases */
/* Nothing of this thread from this event on may be part of a reordering; the event itself may
 * still be the next one of its thread, that is, a target. */
#define STEP_STOP 32u
#define STEP_TAINTED 64u /* free read of a writer that is not known */
#define STEP_SHADOW 128u /* READ: the recorder's closing read; binds, but is no target */
/* READ, RMW: the read only asks (EVENT_LOOKS), or is that of a compare-and-swap that failed. */
#define STEP_LOOKS 512u
/* REQ, RREQ: of a lock of the program's own; how it waits may be recorded. */
#define STEP_OWN 1024u
#define STEP_IN_WAIT \
	512u /* REL, the bit of STEP_LOOKS: part of a condition wait; its PARK comes next */
#define STEP_LAST 2048u /* NONE: the thread ends here */
/* GET, AFTER, GUARD: as it was, and enough; but other posts or holders would have done as well.  Who
 * counts, and looks at who holds, can do without. */
#define STEP_PAIRED 1024u  /* no REQ: the bit of STEP_OWN */
#define STEP_READERS 2048u /* BUSY, no NONE: a reader explains it too */
/* ACQ, RACQ, REQ, RREQ, PARK, JOIN, JOINING: could not have blocked for ever. */
#define STEP_TRY 256u
/* READ, the bit of STEP_TRY: it binds for the comparisons of its value alone, and begins no run of reads that are in
 * no record (capture/filter.h). */
#define STEP_ASKED 256u
/* No access: uses an object, reads its life; makes or ends one, writes its life.  An ACQ that does
 * has its REL in the same event: nobody holds a lock that is destroyed. */
#define STEP_USES 4096u
#define STEP_RENEWS 8192u

struct step {
	uint64_t pos;
	union {
		uint64_t addr; /* access, SPLIT: first byte */
		uint64_t from; /* AFTER, GUARD: pos */
	};
	union {
		uint64_t tseq; /* of the event; GUARD uses: */
		uint64_t to;   /* GUARD: pos */
	};
	uint64_t when; /* GUARD: pos */
	uint32_t chain, tid;
	uint32_t obj, other;
	uint32_t life;	 /* USES, RENEWS: cell */
	uint32_t len;	 /* access, SPLIT: bytes, at most UINT32_MAX */
	uint32_t ncells; /* access; with one, it is obj, else step_cells() */
	uint32_t cells;	 /* index in the batch's pool */
	uint32_t nfeeds,
		feeds; /* WRITE, RMW, USE: tseq of reads of this tid, in the batch's pool */
	/* READ, RMW, USE: comparisons, in the batch's pool.  Of a read they are all that decides by it
	 * at once; its flags say that it binds, for those who do not look at them. */
	uint32_t ntests, tests;
	uint32_t value; /* access, when values are wanted: 1 + index in bytes, 0 none; RMW: the
			  * bytes seen, then the bytes stored */
	uint32_t site;	/* what stands for its place (order/places.h); of locks a number only */
	uint32_t stack;
	uint16_t flags;
	uint8_t op;
};

/* Event number tseq of the tid reads what is compared. */
struct step_test {
	uint64_t tseq;
	struct predicate is;
};

struct step_batch {
	const struct step *at;
	size_t n;
	const uint32_t *cells;
	const uint64_t *feeds;
	const uint8_t *bytes;
	const struct step_test *tests;
};

static inline const uint32_t *step_cells(const struct step_batch *b, const struct step *s)
{
	return s->ncells == 1 ? &s->obj : b->cells + s->cells;
}

static inline bool step_is_access(const struct step *s)
{
	return s->op >= STEP_READ && s->op <= STEP_FREE;
}

/* No access, but it touches the life of an object. */
static inline bool step_is_life(const struct step *s)
{
	return s->flags & (STEP_USES | STEP_RENEWS);
}

/* The touch of a life as an access; s is not one itself. */
static inline struct step step_life(const struct step *s)
{
	struct step life = *s;

	life.op = !(s->flags & STEP_RENEWS) ? STEP_READ
		  : s->flags & STEP_USES    ? STEP_RMW
					    : STEP_WRITE;
	life.flags = s->flags & STEP_RENEWS ? STEP_RENEWS : STEP_ATOMIC;
	life.obj = s->life;
	life.ncells = 1;
	life.nfeeds = 0;
	life.ntests = 0;
	return life;
}

struct step_options {
	bool values;   /* carry the bytes */
	bool recycle;  /* give ids of cells and channels out again after DROP and FORGET */
	bool trusting; /* reads of what unseen code wrote do not stop their threads */
	/* Called with every event before its steps are made, which come with the same batch; or NULL. */
	void (*see)(void *arg, struct trace *t, const struct event *e);
	void *see_arg;
};

struct steps;
/* t is borrowed and read to its end. */
struct steps *steps_new(struct trace *t, const struct step_options *opt);
void steps_free(struct steps *s);

/* ST_OK and a batch that is not empty, ST_END, ST_AGAIN (the trace is followed), or an error of
 * trace_next. */
enum status steps_next(struct steps *s, struct step_batch *out, struct diag *d) ST_CHECKED;

/* So far. */
struct steps_counts {
	uint64_t strange;   /* reads of what unseen code wrote that stopped their threads */
	uint64_t given;	    /* times that it was given a pointer to what several threads touch */
	uint32_t variables; /* cells that accesses have made */
	uint32_t locks;
};
struct steps_counts steps_counts(const struct steps *s);

const char *step_op_name(enum step_op op);

#endif /* ORDER_STEP_H */
