/*
 * The trace as the checker holds it: read once through trace/trace.h, kept event by event, with
 * what each read saw.  Reports take names and sites from it too.
 *
 * Nothing here comes from order/ or predict/: an error there must not be repeated here.
 *
 * Ownership: the trace is borrowed and must outlive it (sites, stacks, thread names).
 * Threads:   read-only after evidence_load.
 */
#ifndef WITNESS_EVIDENCE_H
#define WITNESS_EVIDENCE_H

#include "trace/event.h"

struct trace;
struct evidence;

struct evidence_options {
	uint64_t upto; /* last position needed; 0: all.  Later events are not kept */
	/* Positions, ascending, whose objects a report will describe in full. */
	const uint64_t *wanted;
	size_t nwanted;
	bool digest; /* compute the digest (of the whole trace, whatever upto says) */
	bool values; /* keep values of accesses */
	/* Keep the wanted events alone, and the acquires of locks held there: enough to describe
	 * them, nothing to check.  Memory does not grow with the trace. */
	bool brief;
	/* How the program calls what is locked, signalled or waited for at a site, "account.lock";
	 * NULL: the site does not say.  By it go objects that have no name, or one without the
	 * member: "account.lock (heap#1+32)".  May be missing. */
	const char *(*path)(const struct trace *t, uint32_t site, uint32_t stack);
	/* Called with every event of the trace in order, whatever is kept of it; or NULL. */
	void (*each)(void *arg, struct trace *t, const struct event *e);
	void *each_arg;
};

enum status evidence_load(struct trace *t, const struct evidence_options *opt,
			  struct evidence **out, struct diag *d) ST_CHECKED;
void evidence_free(struct evidence *ev);
/* Aborts where what was loaded contradicts itself.  Slow: for tests. */
void evidence_check(const struct evidence *ev);

/* Positions 1 .. count are kept; brief: 0, and only the questions about events, objects and locks
 * held may be asked, for wanted positions and those acquires. */
uint64_t evidence_count(const struct evidence *ev);
const char *evidence_digest(const struct evidence *ev); /* 64 hex digits */
struct trace *evidence_trace(const struct evidence *ev);

/* What a report shows of an event. */
struct evidence_event {
	uint64_t pos;
	uint32_t tid;
	uint32_t index; /* its number within the thread, from 0 */
	uint8_t op;	/* enum event_op */
	uint32_t flags; /* EVENT_* */
	uint64_t addr, len;
	uint32_t site, stack;
	uint32_t peer; /* FORK, JOIN, JOINING: the other thread */
	const char
		*name; /* synchronisation: the object's name; BEGIN: the block's; accesses: NULL */
	const char *path; /* what options.path called it, part of the name; or NULL */
	uint32_t object;  /* synchronisation: equal numbers, the same object; 0 none */
};
struct evidence_event evidence_get(const struct evidence *ev, uint64_t pos);
/* What an access has read, or left behind, `len' bytes; NULL: not known, or not kept (values). */
const uint8_t *evidence_bytes(const struct evidence *ev, uint64_t pos);
/* The write whose first byte a read, or RMW, was observed to see; 0: none that is recorded. */
uint64_t evidence_from(const struct evidence *ev, uint64_t pos);
/* Position of event number index (from 0) of a thread; 0 when there is none. */
uint64_t evidence_find(const struct evidence *ev, uint32_t tid, uint32_t index);
/* The PARK of the condition wait that a REL with EVENT_IN_WAIT begins; 0 none.  Brief: of wanted
 * ones, and it may then be asked for like a wanted event. */
uint64_t evidence_park(const struct evidence *ev, uint64_t pos);
/* The events that were left out (upto) may say more about what some semaphore began with: nobody told,
 * so it is what its waits need. */
bool evidence_may_grow(const struct evidence *ev);
/* Both are accesses with a byte in common, of the same object (not one address used twice). */
bool evidence_overlap(const struct evidence *ev, uint64_t a, uint64_t b);

/* What lies at a wanted access, or around the lock that is acquired there. */
struct evidence_object {
	const char *name;   /* as trace_object_own */
	const char *given;  /* what the program calls it, as trace_object_name; or NULL */
	const char *benign; /* as trace_object_benign */
	bool heap;	    /* a block */
	bool local;	    /* a variable of a function */
	struct evidence_event
		alloc; /* of these: who allocated it, where it is declared; else zeros */
};
/* False: pos was not wanted, or is neither. */
bool evidence_object(const struct evidence *ev, uint64_t pos, struct evidence_object *out);

/* Locks that the thread of pos holds right before it: positions of their acquires, outermost
 * first.  Returns how many; at most max are stored. */
size_t evidence_held(const struct evidence *ev, uint64_t pos, uint64_t *acquires, size_t max);

#endif /* WITNESS_EVIDENCE_H */
