/* The parts of the checker: the pass itself, memory, synchronisation, and what the targets must be. */
#ifndef WITNESS_CHECK_PRIV_H
#define WITNESS_CHECK_PRIV_H

#include "witness/check.h"
#include "witness/evidence_priv.h"

struct check_reader {
	uint32_t tid, count;
};

/* A synchronisation object at this point of the order. */
struct check_object {
	bool touched;
	bool destroyed, done; /* done: once */
	uint32_t freed;	      /* the latest FREE of its memory; 0 none */
	uint32_t renewed; /* of the first at its address: its latest making or destroy; 0 none */
	uint32_t owner, depth;
	uint32_t begun;	   /* once: begins so far; channel: gives before this number are all done */
	uint64_t nreaders; /* holds for reading, of all threads */
	VEC(struct check_reader) readers;
	int64_t balance; /* semaphore: posts less waits */
};

struct check_thread {
	uint32_t done;	 /* events so far */
	uint32_t frozen; /* position of the read it has stopped at; 0 it goes on */
	uint32_t inside; /* by which event it came to the condition or barrier it is in; 0 none */
	uint32_t moved;	 /* the write that keeps it from going on: repeated reads; 0 none */
	uint32_t ended;	 /* its last event was the destroy of a condition or barrier: that; 0 */
};

#define CHECK_READ_TAINTED 1u
#define CHECK_WRITE_TAINTED 2u
/* What unseen code of another thread may have written is in it, and nothing is known to differ.  Where it
 * decides something that is a doubt; that unseen code reads it is not followed. */
#define CHECK_READ_GUESSED 4u
#define CHECK_WRITE_GUESSED 8u

struct checker {
	const struct evidence *ev;
	const struct check_claim *claim;
	struct check_verdict *out;
	uint32_t *when; /* [pos]: when it came in the order, from 1; 0 not */
	uint8_t *mark;	/* [pos]: CHECK_* */
	uint32_t *last; /* [cell]: latest write, or MIXED and an index in lasts */
	struct evidence_lasts lasts;
	struct check_object *objects;
	struct check_thread *threads;
	uint32_t *ins; /* [group]: threads that came to the barrier */
	uint64_t tainted_bytes;
	struct map stray; /* positions that the claim names */
	struct map
		shown; /* tainted reads that something tests, to what they see: where that is known */
	struct map given; /* gives that others in front of them wait for: object << 32 | number */
	bool learnt;	  /* with values or tests, the two below: */
	struct map initial, initial_known; /* cell, to its first bytes, and which are known */
	VEC(uint32_t) cells;		   /* that are not initial any more */
	VEC(uint32_t) synced;		   /* objects that are not initial any more */
};

/* Breaks the claim at event pos.  Always false, for `return'. */
bool check_fail(struct checker *c, uint64_t pos, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The claim holds, but is no more than a warning: why, and what is so at pos (0: nowhere in
 * particular).  The first doubt stays. */
void check_doubt(struct checker *c, uint64_t pos, const char *why, const char *what);
/* The event goes by a guess (CHECK_READ_GUESSED). */
void check_guess_doubt(struct checker *c, uint64_t pos);

/* The first n events of the order, one by one.  How many of them held; all when the claim still
 * stands. */
size_t check_events(struct checker *c, size_t n);

/* All that the thread has recorded came before pos, and nothing of it is missing: its end is
 * known by other means, or in the trace. */
bool check_over(struct checker *c, uint32_t pos, uint32_t tid, bool known);

/* A call that was refused: only in the recorded run is that known to happen again. */
bool check_refused(struct checker *c, uint32_t pos);

/* Each: the event may come next by the rules of its part, and has now come; or false. */
bool check_memory_event(struct checker *c, uint32_t pos);
bool check_sync_event(struct checker *c, uint32_t pos);

/* If the thread's last event was the destroy of a condition or barrier: nobody is inside who keeps it
 * from coming back, so the thread goes on with pos. */
bool check_nobody_inside(struct checker *c, uint32_t pos);
/* The event has come: who is inside of what now. */
void check_inside_note(struct checker *c, uint32_t pos);

/* The FREE at pos has those bytes of the cell: the memory of objects there. */
void check_objects_free(struct checker *c, uint32_t cell, unsigned mask, uint32_t pos);
/* The object may be used here: after its making, before its end. */
bool check_life(struct checker *c, uint32_t pos);
const char *check_object_name(const struct checker *c, uint32_t pos);
const char *check_thread_name(const struct checker *c, uint32_t tid);
/* The thread holds the lock now so that a request for writing, or only for reading, must wait. */
bool check_keeps_out(const struct checker *c, uint32_t lock, uint32_t tid, bool reads);

/* The targets of a race after an order that held, whose state is set as far as they need it: what
 * checker_run would say.  Forgets the state.  False: not certified. */
bool check_targets(struct checker *c, const struct check_claim *claim, struct check_verdict *out);

/* After the order: the event exists; it is next in its thread, which goes on. */
bool check_exists(struct checker *c, uint64_t pos);
bool check_is_next(struct checker *c, uint64_t pos);
/* After the order: the targets are what the claim says.  A race comes in that order. */
bool check_race(struct checker *c, uint64_t first, uint64_t second);
bool check_deadlock(struct checker *c);
bool check_wait(struct checker *c);
bool check_atomicity(struct checker *c);
/* A claim about a property, the order and all.  How many events of the order held. */
size_t check_property(struct checker *c);

/* The read part of an access sees something else than observed, or something tainted. */
struct check_seen {
	bool differs;
	uint32_t saw, expected; /* writes, of the first byte that is not right */
	bool tainted;		/* it is the right write, but that may have stored another value */
	bool guessed;		/* with the others false: some write that it sees is guessed */
};
void check_read(struct checker *c, uint32_t pos, struct check_seen *out);
/* The access writes, with taint as marked. */
void check_write(struct checker *c, uint32_t pos);
/* For values and tests: what reads show of initial values. */
void check_initial_learn(struct checker *c);
/* Byte `at' of memory as event pos read or wrote it.  False: not known. */
bool check_value(const struct evidence *ev, uint32_t pos, uint64_t at, bool written, uint8_t *out);
/* Byte k of the word as the latest write has left it, and nothing differs from what is logged.  False:
 * not known. */
bool check_byte(const struct checker *c, uint32_t cell, uint64_t word, unsigned k, uint8_t *out);

/* check_tests.c.  note: a read that is tainted has come, its bytes are what they are now. */
void check_shown_note(struct checker *c, uint32_t pos);
/* What the event compares comes out as observed.  NULL; else the first test that need not. */
const struct evidence_test *check_tests(struct checker *c, uint32_t pos);

#endif /* WITNESS_CHECK_PRIV_H */
