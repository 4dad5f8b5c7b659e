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
#ifndef REPORT_PAIRING_H
#define REPORT_PAIRING_H

#include "base/common.h"

struct event;

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

#endif /* REPORT_PAIRING_H */
