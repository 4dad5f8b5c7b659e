/*
 * How a recorded run ended: what each thread did last, who waits for what and why nobody comes.
 *
 * It is fed with the events of a trace, in their order.  A run that hung or crashed is a finding of its
 * own, unless one that an analysis has made explains it:
 *
 *	1  hang: T1 and T2 wait for ever                                          it happened
 *	   T1  waits for the end of T2, which waits itself
 *	       f.c:40 in main
 *	   T2  waits for m, which T3 holds, and T3 has ended
 *	       f.c:12 in worker
 *
 * Ownership: the caller owns the struct, all zero at first.
 */
#ifndef REPORT_ENDING_H
#define REPORT_ENDING_H

#include "finding/finding.h"

struct event;
struct json;
struct trace;

/* ---- pairing.c ---- */

/*
 * Who woke whom: what the analyses take as it was recorded, where another run may do otherwise.
 *
 * They let any post serve a wait for a semaphore.  But a wait for a condition keeps the signal that woke
 * it, a round of a barrier the threads that met in it, and who reads from a pipe or socket, or handles a
 * signal, comes after all that had been sent.  Where there was no other signal, where no more threads
 * came to the barrier than it takes, that is all there is.  Else an order with other partners may show
 * what no order that was looked at does: "none" is then about the recorded partners.
 *
 * It is fed with the events of a trace, in their order.
 *
 * Ownership: the caller owns the struct, all zero at first.
 */
/* A condition, or a barrier. */
struct pairing_object {
	uint64_t signals; /* and broadcasts */
	uint64_t wakes;	  /* by one of them */
	uint64_t need;	  /* threads to a round; 0: not known */
	uint64_t come;	  /* times that one came */
	uint64_t threads; /* that ever came */
};

struct pairing {
	struct map numbers; /* address and whether it is a barrier, to a number in the list, + 1 */
	struct map guests;  /* number of a barrier << 32 | tid: has come */
	struct map givers;  /* address of a channel, to tid, or to 0: several gave */
	VEC(struct pairing_object) objects;
	uint64_t handed; /* times that something came from another thread through the kernel */
};

/* What could have had other partners. */
struct pairing_counts {
	uint64_t waits, rounds, handed;
};

void pairing_release(struct pairing *p);
void pairing_take(struct pairing *p, const struct event *e);
struct pairing_counts pairing_count(const struct pairing *p);

/* ---- ending.c, ending_words.c ---- */

struct ending_thread {
	uint64_t pos, addr; /* of its last event; pos 0: there is none */
	uint64_t before;    /* position of the event before it */
	uint32_t site, stack, peer;
	uint8_t op;
	bool forked, begun, ended, joined, detached, timed;
};

struct ending {
	VEC(struct ending_thread) threads; /* [tid] */
	struct map holders;  /* address of a lock, to tid << 32 | depth; not of readers */
	struct map barriers; /* address, to how many must come */
	struct map come;     /* address, to generation << 32 | how many have come */
	/* What the trace cannot vouch for. */
	uint64_t unknown; /* reads that saw what unseen code wrote */
	uint64_t unseen;  /* calls of unseen code that may order threads */
	uint64_t refused; /* calls that failed for a reason that is not recorded */
	struct pairing pairing;
};

void ending_release(struct ending *e);
void ending_take(struct ending *e, const struct event *event);

/* Threads that were made and did nothing; neither joined nor detached; neither at their end nor
 * waiting. */
struct ending_counts {
	uint32_t unstarted, unjoined, running;
};
struct ending_counts ending_counts(const struct ending *e);

/*
 * Adds the hang or the crash, if the run has ended in one, and nothing that was found already explains
 * it.  expected: the status by which it shall end (-1: none).  After the trace was read to its end,
 * before findings are certified.
 */
void ending_find(const struct ending *e, struct trace *t, int expected, struct findings *f);

/* "hang: T1 and T2 wait for ever" */
void ending_title(const struct ending *e, struct trace *t, const struct finding *f,
		  struct strbuf *out);
/* What each thread did last, with its stack. */
void ending_format(const struct ending *e, struct trace *t, struct strbuf *out);
/* Of a run that was cut off, where nothing was found: who waited. */
void ending_waits(const struct ending *e, struct trace *t, struct strbuf *out);
/* How it ended, as members of an object. */
void ending_json(const struct ending *e, struct trace *t, struct json *j);
/* "The program was killed by signal 9 (Killed)."  Nothing for a good end. */
void ending_words(const struct trace *t, struct strbuf *out);

/* ---- for ending.c and ending_words.c ---- */

/* Its last event is one that waits. */
bool ending_is_waiting(const struct ending_thread *t);
/* NULL: it has done nothing. */
const struct ending_thread *ending_thread_of(const struct ending *e, uint32_t tid);
/* "SIGSEGV (Segmentation fault)" */
void ending_signal_format(int signal, struct strbuf *out);

#endif /* REPORT_ENDING_H */
