/*
 * What threads know, by its definition: the causal past of every event as a set, closed by looking at all pairs;
 * formulas by recursion over whole pasts.  Nothing of src/know or src/monitor is used, of src/spec the trees.
 */
#ifndef TESTS_MTTL_NAIVE_H
#define TESTS_MTTL_NAIVE_H

#include "spec/spec.h"

#define NAIVE_EVENTS 40u
#define NAIVE_THREADS 4u

enum naive_op {
	NAIVE_READ,
	NAIVE_WRITE,
	NAIVE_AREAD,
	NAIVE_AWRITE,
	NAIVE_RMW,
	NAIVE_ACQ,
	NAIVE_REL,
	NAIVE_RACQ,
	NAIVE_RREL,
	NAIVE_FORK,
	NAIVE_JOIN,
	NAIVE_GIVE,
	NAIVE_TAKE,
	NAIVE_SIGNAL,
	NAIVE_PARK,
	NAIVE_WAKE,
	NAIVE_BEGIN,
	NAIVE_END,
	NAIVE_INTERNAL,
	NAIVE_USER,
	NAIVE_THREADEND,
};

struct naive_event {
	enum naive_op op;
	unsigned thread; /* from 0 */
	const char *
		object; /* variable, lock, channel, condition; name of a user event or local variable */
	int64_t value;	/* WRITE, AWRITE, RMW, INTERNAL */
	unsigned other; /* FORK, JOIN: thread; WAKE: event + 1 of the signal, 0 none */
};

struct naive_run {
	const struct spec *s;
	struct naive_event at[NAIVE_EVENTS];
	unsigned n, nthreads;
	uint64_t past[NAIVE_EVENTS]; /* mttl_naive_order */
};

/* The pasts of all events; carries all: `flow all'. */
void mttl_naive_order(struct naive_run *r);
/* Is the property false in the state after event i, which is about its thread? */
bool mttl_naive_is_violated(const struct naive_run *r, const struct spec_property *p, unsigned i);

#endif /* TESTS_MTTL_NAIVE_H */
