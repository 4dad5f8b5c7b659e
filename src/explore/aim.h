/*
 * Aims of a search: what the analysis of a recorded run has found or warned of, each with its window,
 * and whether a run has shown it.
 *
 * A race is shown by a run in which nothing orders the two accesses (explore/shares.h), a deadlock or a
 * lost wakeup by one that hangs there.  Sites are the same in a recording and in runs of the same program.
 *
 * Ownership: the caller owns the struct; aims_release frees what it holds.
 */
#ifndef EXPLORE_AIM_H
#define EXPLORE_AIM_H

#include "explore/search.h"
#include "explore/steer.h"
#include "explore/window.h"

struct analyse;

struct aim {
	enum finding_kind kind;
	enum finding_status status;
	char *title; /* as in a line of a report */
	uint32_t n;
	uint32_t tids[FINDING_EVENTS], sites[FINDING_EVENTS];
	uint64_t events[FINDING_EVENTS], addrs[FINDING_EVENTS];
	struct window window;
	uint32_t size;	/* threads in it */
	uint32_t first; /* the first aim that has the same window: its own number, or a lower one */
	struct steer_course course; /* that leads to it, if the analysis has one to show */
	/* Out. */
	uint64_t run;	/* that has shown it, from 1; 0: none has */
	bool is_forced; /* its course was run */
	bool is_tried;	/* its window was searched */
	enum search_end
		end;   /* of the search in its window: SEARCH_WHOLE, all of it was looked at */
	uint64_t runs; /* there */
};

struct aims {
	VEC(struct aim) at;
	uint32_t nthreads; /* of the recorded run */
};

/* Of what `a', made ready by its caller, finds in the trace: properties are none.  graph, and steer unless it
 * is NULL: of the same trace.  False after a message. */
bool aims_find(struct aims *g, struct analyse *a, const char *trace,
	       const struct window_graph *graph, const struct steer *steer);
void aims_release(struct aims *g);

/* What a run of that number has shown, but for races. */
void aims_look(struct aims *g, const struct explore_runner *r, uint64_t number);
/* It has a race of these two sites. */
void aims_race(struct aims *g, uint32_t site, uint32_t other, uint64_t number);

/* Those that a search in the aim's window leaves out. */
struct baton_set aim_frozen(const struct aims *g, const struct aim *aim);

#endif /* EXPLORE_AIM_H */
