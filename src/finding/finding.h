/*
 * The one result type: something that goes wrong in some run.
 *
 * An engine names events and, when it has one, a schedule that leads to them.  What the events
 * are called, where they lie and whether the schedule holds is found out later, by code that
 * does not believe engines (witness/).
 *
 * Ownership: a list owns its findings.
 */
#ifndef FINDING_FINDING_H
#define FINDING_FINDING_H

#include "finding/schedule.h"

/* X(id, name in JSON, name in text) */
#define FINDING_KINDS(X)                                                                \
	X(RACE, "race", "data race")                                                    \
	X(DEADLOCK, "deadlock", "deadlock")                                             \
	X(JOIN_HOLDING, "join-holding-lock", "deadlock of a join and a lock")           \
	X(WAIT_HOLDING, "wait-holding-lock", "deadlock of a condition wait and a lock") \
	X(LOST_WAKEUP, "lost-wakeup", "lost wakeup")                                    \
	X(ATOMICITY, "atomicity", "atomicity violated")                                 \
	X(PROPERTY, "property", "property violated")                                    \
	X(PROPERTY_ERROR, "property-error", "property without a value")                 \
	X(HANG, "hang", "hang")                                                         \
	X(CRASH, "crash", "crash")                                                      \
	X(USE_AFTER_FREE, "use-after-free", "use after free")                           \
	X(DOUBLE_FREE, "double-free", "double free")

enum finding_kind {
#define X(id, name, title) FINDING_##id,
	FINDING_KINDS(X)
#undef X
		FINDING_NKINDS
};

/*
 * What `events' are.
 *	RACE		two accesses, both next at the end of the schedule
 *	DEADLOCK	the requests that wait for one another, one a thread: acquires (or REQ, RREQ
 *			where the recorded run itself ended there), all next
 *	JOIN_HOLDING	the same with at least one JOIN (JOINING) among them
 *	WAIT_HOLDING	an acquire by a thread that signals afterwards (or REQ, RREQ where the recorded run
 *			itself ended there), which is next, and the release inside a condition wait of
 *			the thread that holds that lock: next as well, or in the schedule with the wait
 *			begun and no signal after it
 *	LOST_WAKEUP	a signal or broadcast that the schedule contains, at a time when nobody waits, and
 *			the release inside the condition wait that comes too late; that is next
 *	ATOMICITY	accesses of two threads, which the schedule holds: two in one block, and one or two of
 *			another thread that come between (finding_split).  Of a warning: the
 *			begin of a block, and where the recorded run comes back to it
 *	PROPERTY	the event at which the property is violated, last of the schedule; none: it is
 *			violated in the initial state.  PROPERTY_ERROR: at which its formula has no value
 *	HANG, CRASH	how the recorded run ended: the last events of threads, of many the first few
 *	USE_AFTER_FREE	a free, and a use of what it freed that came later in the recorded run; DOUBLE_FREE:
 *			another free
 */

/* OBSERVED: no analysis and no checker need be believed; the program itself has shown it. */
enum finding_status { FINDING_WARNING, FINDING_PREDICTED, FINDING_REPLAYED, FINDING_OBSERVED };

/*
 * What block an ATOMICITY is about: one that the program marks, or a guess from what its thread does.
 * X(id, name)
 *	MARKED	BEGIN .. END, or a call of a function that is meant to be atomic
 *	SPLIT	a variable is read in a section of a lock, and read again or written in another section of
 *		it, which writes it
 *	CHECK	the same, read without any lock at first
 *	REREAD	written in a section of a lock, and read back in another section of it
 *	SECTIONS	read, or written, in two sections of a lock
 *	PAIR	two variables, one after the other, not under one lock
 */
#define FINDING_BLOCKS(X)       \
	X(MARKED, "marked")     \
	X(SPLIT, "split")       \
	X(CHECK, "check")       \
	X(REREAD, "reread")     \
	X(SECTIONS, "sections") \
	X(PAIR, "pair")

enum finding_block {
#define X(id, name) FINDING_BLOCK_##id,
	FINDING_BLOCKS(X)
#undef X
		FINDING_NBLOCKS
};

/*
 * How another thread comes into a block: a and c are of the block, in this order, b and d of the other
 * thread.  a and b are in conflict, and so are d and c; the order has a before b and d before c.
 */
struct finding_split {
	uint64_t a, b, d, c; /* b is d: one access comes between */
	/* RWR, RWW, WWR, WRW: of one variable, the other's in the middle; else of two: S, or X where the
	 * other's are in a block as well. */
	const char *pattern;
	/* First events of the blocks, and the last one of the first; other: of X, else 0. */
	uint64_t block, last, other;
	bool a_feeds_c; /* what c writes comes of what a read */
	bool a_decides; /* what is done up to c depends on what a read */
};

#define FINDING_EVENTS 64

struct engine;

struct finding {
	uint32_t id; /* from 1, in order of the report; 0 before findings_settle */
	enum finding_kind kind;
	enum finding_status status;
	const struct engine *engine;	 /* who found it (predict/engine.h) */
	uint64_t events[FINDING_EVENTS]; /* targets, by position, ascending */
	uint32_t nevents;
	/* Of the events, as steps have them: its signature, but for properties, which have a name. */
	uint32_t sites[FINDING_EVENTS];
	uint8_t ops[FINDING_EVENTS]; /* enum step_op */
	uint8_t block;		     /* ATOMICITY: enum finding_block */
	uint8_t score;	/* of a block that was guessed: how likely it is meant so, of 100 */
	bool claimed;	/* the engine says that schedule leads to it */
	bool certified; /* and the checker agrees */
	bool doubted;	/* the checker agrees, but for what `why' says: a warning */
	bool declined;	/* by the checker: what the engine had to try */
	bool refuted;	/* and no other order leads to it either */
	bool dep;	/* only by the dependency-aware model */
	bool observed;	/* the recorded run itself goes wrong there */
	bool known;	/* it is in the baseline: no news */
	bool judged;	/* PROPERTY about knowledge (mttl): found by running the recorded run again,
		      * or another order of it */
	const char *property; /* PROPERTY, PROPERTY_ERROR: its name, the list's own; else NULL */
	/* HANG, CRASH: what it is about; judged: the property as it was written.  The list's own; else NULL */
	const char *subject;
	struct schedule schedule;
	/* From the checker: targets that see another write than observed; free reads whose value
	 * may differ. */
	VEC(uint64_t) stray;
	VEC(uint64_t) tainted;
	struct finding_split
		split; /* ATOMICITY: from the checker; pattern NULL: it has not agreed */
	/* Of a lattice: points by lane, where to look for the schedule (analyse/prove.c). */
	VEC(uint32_t) cut;
	const char *why;    /* WARNING: why it is no more; static, or of the list's words */
	const char *also;   /* what else the two places do, of the list's words; NULL: nothing */
	const char *replay; /* what came of its replay, of the list's words; NULL: not tried */
	uint64_t more;	    /* further pairs with the same signature that were met, not kept */
};

struct findings {
	VEC(struct finding) at;
	struct texts words; /* what `why' points to, unless static; it moves with them */
};

void findings_release(struct findings *f);

/* A new one at the end, without events, zeroed but for these. */
struct finding *findings_add(struct findings *f, enum finding_kind kind,
			     const struct engine *engine);
/* Without the last one, which nothing else points to. */
void findings_drop_last(struct findings *f);
/* One event more, in the order of positions.  At most FINDING_EVENTS. */
void finding_add_event(struct finding *f, uint64_t pos, uint32_t site, uint8_t op);

/* findings_add for a property; name is copied.  A violation of the initial state has no event. */
struct finding *findings_add_property(struct findings *f, enum finding_kind kind,
				      const struct engine *engine, const char *name);

static inline bool finding_is_property(const struct finding *f)
{
	return f->kind == FINDING_PROPERTY || f->kind == FINDING_PROPERTY_ERROR;
}

/* A condition wait that nobody ends: whether that is so depends on all signals of the trace. */
static inline bool finding_kind_is_wait(enum finding_kind kind)
{
	return kind == FINDING_WAIT_HOLDING || kind == FINDING_LOST_WAKEUP;
}

static inline bool finding_is_wait(const struct finding *f)
{
	return finding_kind_is_wait(f->kind);
}

/* It has an order that the program can be forced into.  Of a warning the replay itself shows what is
 * true, unless it is about a property: values that unrecorded code changes are not looked at.  Nor does it
 * look at what threads know. */
static inline bool finding_is_forcible(const struct finding *f)
{
	if (f->judged)
		return false;
	return f->certified || (f->doubted && !finding_is_property(f));
}

/* How the run ended, and no analysis: it has no schedule. */
static inline bool finding_is_end(const struct finding *f)
{
	return f->kind == FINDING_HANG || f->kind == FINDING_CRASH;
}

/* The recorded run used memory that was free. */
static inline bool finding_is_stale(const struct finding *f)
{
	return f->kind == FINDING_USE_AFTER_FREE || f->kind == FINDING_DOUBLE_FREE;
}

/* Two events about the same bytes, or the same object. */
static inline bool finding_is_pair(const struct finding *f)
{
	return f->kind == FINDING_RACE || finding_is_stale(f);
}

/* Two or more accesses of memory, or a block of them. */
static inline bool finding_is_about_memory(const struct finding *f)
{
	return finding_is_pair(f) || f->kind == FINDING_ATOMICITY;
}

/* Its schedule does not end before its events: it holds them. */
static inline bool finding_is_whole(const struct finding *f)
{
	return finding_is_property(f) || f->kind == FINDING_ATOMICITY;
}

/*
 * What a reader calls one bug: the same kind and the same places, in any order; of properties the name.
 * A hash of that.  Places are sites, which are numbers of one reading of a trace; who compares several
 * readings (report/kept.h) has names, as hashes.
 */
uint64_t finding_signature(const struct finding *f);
uint64_t finding_signature_of(enum finding_kind kind, const uint64_t *places, uint32_t n);

/* Moves all of `from' to the end of `into'. */
void findings_move(struct findings *into, struct findings *from);

/* Is there one of which `is' says yes? */
bool findings_any(const struct findings *f, bool (*is)(const struct finding *f));

/* Throws out those of which keep says no. */
void findings_keep(struct findings *f, bool (*keep)(void *arg, const struct finding *f), void *arg);

/* Sorts by status, whether there is a schedule, kind and events, and numbers them.  all: keeps
 * every pair of every analysis; else one finding for each signature over all analyses: the surest,
 * then the earliest. */
void findings_settle(struct findings *f, bool all);

const char *finding_kind_name(enum finding_kind k);
const char *finding_block_name(enum finding_block b);
const char *finding_kind_title(enum finding_kind k);
const char *finding_status_name(enum finding_status s);

#endif /* FINDING_FINDING_H */
