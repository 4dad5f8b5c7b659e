/* What the walks over states (enumerate.c, enumerate_split.c) and the test of one order (enumerate_whole.c) share. */
#ifndef TESTS_ENUMERATE_PRIV_H
#define TESTS_ENUMERATE_PRIV_H

#include "enumerate.h"

/* In place of a write: its content is not the observed one.  All such contents are alike. */
#define ENUMERATE_TAINTED (-2)

/* Whether the read gets the observed value from this content of one of its cells. */
bool enumerate_sees(const struct tiny *t, struct enumerate_mode mode, int read, int cell,
		    int content);

struct state {
	int8_t done[TINY_THREADS];
	int8_t cell[TINY_CELLS];    /* last write, TINY_INIT or ENUMERATE_TAINTED */
	int8_t life[TINY_LOCKS];    /* what has made or destroyed it last */
	int8_t last[2][TINY_LOCKS]; /* keep_locks: latest acquire so far, [1] shared mode */
	uint32_t tainted;	    /* free reads that got another value, while it matters */
	int8_t shown[TINY_EVENTS];  /* of those: what they see; NOT_SHOWN */
	uint32_t spoilt;	    /* wakes whose signal came before the park */
	uint32_t lost;		    /* signals that found nobody waiting */
	uint32_t called;	    /* threads that wait, and a signal has come since they began */
	uint32_t frozen;	    /* threads whose last read saw something else */
};

#define NOT_SHOWN (-1) /* values are not negative */

struct node {
	struct state state;
	int parent, event; /* how it was first reached; -1 the root */
};

struct enumeration {
	const struct tiny *t;
	struct enumerate_mode mode;
	uint32_t relax; /* reads that may see anything as the last event of their thread */
	struct node *nodes;
	uint32_t n, capacity;
	uint32_t *slots, nslots; /* hash set of nodes, 1 + index */
	int last_use[TINY_EVENTS];
	struct pairs races;
	uint32_t at[TINY_EVENTS][TINY_EVENTS]; /* the node where the race was first seen */
	struct deadlock *deadlocks;
	int ndeadlocks, room;
	struct pairs waits[NWAITS];
	uint32_t wait_at[NWAITS][TINY_EVENTS][TINY_EVENTS];
};

/* With the first state reached, which is s too. */
struct enumeration *enumeration_begin(const struct tiny *t, struct enumerate_mode mode,
				      uint32_t relax, struct state *s);
bool enumeration_has(const struct enumeration *x, const struct state *s, int event);
/* The next event of the thread where what must come before has happened; TINY_NONE. */
int enumeration_next(const struct enumeration *x, const struct state *s, int thread);
/* Does the event; false when it cannot happen, or could not happen as observed. */
bool enumeration_step(const struct enumeration *x, struct state *s, int event);
/* The state is a node, reached like that unless it was one. */
void enumeration_reach(struct enumeration *x, const struct state *s, int parent, int event);

#endif /* TESTS_ENUMERATE_PRIV_H */
