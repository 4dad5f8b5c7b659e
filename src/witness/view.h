/*
 * What the events of a trace are to a spec, as the checker sees it: where the spec's variables lie,
 * what they hold at first, and for each event that matters which variables it reads and writes and
 * which of the spec's events it may be.
 *
 * monitor/watch.h is the same for the analyses.  This is not it: it is made out of the tables of the
 * trace (names/variables.h) and its events once more, plainly, every pattern asked of every event.
 *
 * Ownership: the spec is borrowed, and so is the trace, for view_bind and view_see alone.
 * Threads:   read-only but for those two.
 */
#ifndef WITNESS_VIEW_H
#define WITNESS_VIEW_H

#include "witness/value.h"

struct event;
struct trace;
struct view_sight;

/* The bytes of a variable in the mask (bit i: byte i) become these, or unknown. */
struct view_write {
	uint32_t variable;
	uint8_t mask;
	bool known;
	uint8_t byte[8];
};

struct view_event {
	uint64_t pos;
	uint32_t thread;	  /* for `tid' */
	uint64_t events;	  /* whose pattern it fits; `when' is still to be asked */
	uint64_t reads, written;  /* variables */
	uint32_t writes, nwrites; /* into the view's */
};

struct view {
	const struct spec *spec;
	struct value initial[SPEC_VARIABLES];
	VEC(struct view_event) at; /* ascending by pos */
	VEC(struct view_write) writes;
	struct view_sight *sight; /* while events are seen; NULL: they were put in by hand */
	char trouble[200];	  /* why a name was not found: then nothing can be checked */
};

/* Before the first event.  A name that is not there, or not of that type, is told in trouble. */
void view_bind(struct view *v, const struct spec *s, struct trace *t);
/* Every event of the trace, in order. */
void view_see(struct view *v, struct trace *t, const struct event *e);
void view_release(struct view *v);

/* What the event at pos is; NULL: nothing. */
const struct view_event *view_at(const struct view *v, uint64_t pos);
/* Is the thread one of those that the spec declares by that number?  After all events have been seen. */
bool view_is_of(const struct view *v, struct trace *t, uint32_t declared, uint32_t tid);
/* Applies the event's writes. */
void view_apply(const struct view *v, const struct view_event *e, struct value *values);

#endif /* WITNESS_VIEW_H */
