/*
 * Who may have written memory unseen, and when: threads inside code that is not instrumented.
 *
 *	T1  ... OPAQUE ~~~~~~~~~ next event		`~': T1 may write anything
 *
 * A call of unseen code lasts until the thread's next event that does not come from there.  What a
 * thread did before it forked another, or before it was joined, comes before that one's (the
 * joiner's) reads in every reordering; so does what came before its own fork.  `calm' is the position up
 * to which all unseen code of others is known to come before a thread.
 *
 * Ownership: the caller owns the struct.
 */
#ifndef ORDER_UNSEEN_H
#define ORDER_UNSEEN_H

#include "trace/event.h"

struct trace;

struct unseen_thread {
	uint64_t ended; /* the position of the last event that ended unseen code of it; 0 none */
	uint64_t calm;	/* up to there all unseen code comes before what it does from now on */
	uint64_t last;	/* number of its last event */
	/* Since when a recorded call of it has been writing what it named (EVENT_BEGUN); 0 none. */
	uint64_t begun;
	uint32_t newer, older; /* in the list by `ended', + 1; 0 none */
	bool inside;
	uint32_t site, depth; /* of the call */
	uint64_t stack, stack_len;
};

struct unseen {
	VEC(struct unseen_thread) threads; /* [tid] */
	uint32_t newest;		   /* + 1 */
	uint32_t ninside;
};

void unseen_release(struct unseen *u);

/* Every event, in order. */
void unseen_event(struct unseen *u, const struct trace *t, const struct event *e);

/* The latest position at which unseen code of another thread than tid may have written; UINT64_MAX:
 * it may do so now. */
uint64_t unseen_others(const struct unseen *u, uint32_t tid);
/* The same of the thread itself; 0 never. */
uint64_t unseen_own(const struct unseen *u, uint32_t tid);
/* What is known of the thread: all zero before its first event. */
static inline const struct unseen_thread *unseen_thread(const struct unseen *u, uint32_t tid)
{
	static const struct unseen_thread none;

	return tid < u->threads.n ? &u->threads.at[tid] : &none;
}

#endif /* ORDER_UNSEEN_H */
