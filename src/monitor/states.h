/*
 * An order of events as a spec sees it: the looks that matter, what its variables hold after each,
 * and which properties are violated there.  For reports; the checker has its own (witness/view.h).
 *
 * Ownership: states_watch is borrowed; states_release frees what a run holds.
 * Threads:   monitors are not made for several: one at a time.
 */
#ifndef MONITOR_STATES_H
#define MONITOR_STATES_H

#include "monitor/monitor.h"

struct watch_item;
struct watch_items;

/* What the events of a trace are to a spec. */
struct states_watch {
	const struct monitors *monitors;
	const struct monitor_value *initial; /* by variable; NULL: there are none */
	const struct watch_items *items;     /* of the whole trace */
};

struct state {
	uint64_t pos;		      /* of the event that led to it; 0: the initial state */
	uint64_t events, written;     /* of the spec: events that it is, variables that it writes */
	uint64_t bad, error, unknown; /* properties with that verdict, now and before */
};

struct states {
	VEC(struct state) at;
	VEC(struct monitor_value) values; /* nvalues for each state */
	uint32_t nvalues;		  /* variables of the spec */
	uint64_t before;		  /* looks left out before the first */
	char *trouble;			  /* why the property has no value at the end; or NULL */
};

/* The last `most' looks of the property along the order, after the state before them. */
void states_get(const struct states_watch *w, const uint64_t *order, size_t n, size_t most,
		int property, struct states *out);
void states_release(struct states *s);

/* The item is a look of the property, or may be (its events' `when' is not asked), or writes one of
 * its variables. */
bool states_is_look(const struct states_watch *w, int property, const struct watch_item *item);
/* The property's number; -1: there is none of this name. */
int states_property(const struct states_watch *w, const char *name);

#endif /* MONITOR_STATES_H */
