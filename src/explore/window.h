/*
 * Race windows: which threads of a recorded run have a say in what a warning is about.
 *
 * After K. Havelund, "Using Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000),
 * section 4.  A thread depends on whoever made it and on whoever writes what it reads; here also on
 * whoever it waits for, by a join, a condition, a barrier, a semaphore, a once routine or a channel,
 * for else it would be stopped by those who are left out.  The window of some threads is what they
 * depend on, directly or not.
 *
 * A dependence has a place: the maker of a thread counts up to the making, and what it waits for
 * afterwards does not.  Else a main that joins everybody would bring everybody in.
 *
 * Ownership: the caller owns the structs.
 */
#ifndef EXPLORE_WINDOW_H
#define EXPLORE_WINDOW_H

#include "base/common.h"

struct event;
struct step_batch;
struct trace;

/* X(id, words between the one and the other thread, words behind it) */
#define WINDOW_WHYS(X)                                    \
	X(MADE, "is made by", "")                         \
	X(READS, "reads what", " writes")                 \
	X(JOINS, "joins", "")                             \
	X(SIGNALLED, "waits for a signal of", "")         \
	X(BARRIER, "meets", " at a barrier")              \
	X(POSTED, "waits for a semaphore that", " posts") \
	X(ONCE, "needs what", " runs once")               \
	X(CHANNEL, "takes what", " gives")

enum window_why {
#define X(id, words, behind) WINDOW_##id,
	WINDOW_WHYS(X)
#undef X
		WINDOW_NWHYS
};

/* Thread `tid', from the event `took' on, depends on what thread `on' does up to the event `gave'. */
struct window_edge {
	uint32_t tid, on;
	enum window_why why;
	uint64_t took, gave;
};

/* What a thread has done to an object: since when it depends on others there, and up to when others
 * depend on it.  0: not at all. */
struct window_touch {
	uint32_t tid;
	uint64_t took, gave;
};

struct window_place {
	enum window_why why;
	VEC(struct window_touch) touches;
};

struct window_graph {
	VEC(struct window_edge) edges; /* by tid, on and why, when it is read */
	uint32_t nthreads;	       /* the highest tid */
	/* Private: while it is read. */
	VEC(struct window_place) cells;	  /* memory, [cell] */
	VEC(struct window_place) objects; /* all else */
	struct map by_object, by_pair;
};

/* Reads the trace to its end. */
enum status window_graph_read(struct window_graph *g, struct trace *t, struct diag *d) ST_CHECKED;
void window_graph_release(struct window_graph *g);

/* How far a thread counts; 0: it is not in the window. */
struct window {
	VEC(uint64_t) upto; /* [tid] */
};

/* A thread of the warning, with its event there. */
void window_add(struct window *w, uint32_t tid, uint64_t pos);
/* And what they depend on. */
void window_extend(struct window *w, const struct window_graph *g);
static inline bool window_has(const struct window *w, uint32_t tid)
{
	return tid < w->upto.n && w->upto.at[tid] != 0;
}
void window_release(struct window *w);

#endif /* EXPLORE_WINDOW_H */
