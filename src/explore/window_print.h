/*
 * The dependency graph of a trace for people, and the windows of what was found in it.
 *
 *	T2 "planner"
 *	  is made by T1
 *	  reads what T3 "executive" writes         event1.count  rax.c:67 in next_event
 *	  waits for a signal of T3 "executive"     event1.changed  rax.c:51 in wait_for_event
 *
 *	windows
 *	  lost wakeup of T2 on event1.changed, rax.c:51 in wait_for_event and ... (predicted, certified)
 *	    T2, T3 and those whom they depend on: T1; 3 of 43 threads
 *
 * A dependence is shown by its first event; what the object is called comes from brief evidence about it.
 */
#ifndef EXPLORE_WINDOW_PRINT_H
#define EXPLORE_WINDOW_PRINT_H

#include "explore/aim.h"

struct evidence;

#define WINDOW_PRINT_LINES 10000 /* of the graph; what is left out is counted */

struct window_print {
	const struct window_graph *graph; /* borrowed */
	const struct aims *aims;	  /* borrowed */
	uint32_t only;			  /* a thread; 0 all */
	VEC(uint64_t) wanted;		  /* positions, ascending, that must have names */
};

void window_print_init(struct window_print *p, const struct window_graph *g, const struct aims *a,
		       uint32_t only);
void window_print_release(struct window_print *p);

/* ev: about the wanted events. */
void window_print(const struct window_print *p, const struct evidence *ev, FILE *to);

#endif /* EXPLORE_WINDOW_PRINT_H */
