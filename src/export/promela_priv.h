/* What is to be reached, for promela.c; found in promela_goals.c.  Comments in models.  Lattices:
 * promela_lattice.c, and properties over them, promela_property.c. */
#ifndef EXPORT_PROMELA_PRIV_H
#define EXPORT_PROMELA_PRIV_H

#include "export/promela.h"
#include "monitor/watch.h"

#define PROMELA_CIRCLE 8 /* requests that wait for one another, at most */

/* All of its events are next. */
struct promela_goal {
	uint32_t event[PROMELA_CIRCLE]; /* ascending */
	uint32_t n;
	bool deadlock; /* else a race */
};

struct promela_goals {
	VEC(struct promela_goal) at;
	size_t deadlocks;
};

/* The event is a read that may see something else than observed: what it feeds is then another value. */
bool promela_may_differ(const struct model *m, const struct promela_options *opt, uint32_t e);

/* ---- comparisons (promela_tests.c) ---- */

/* Event `at' decides by what `read' has read, and only by how that compares. */
bool promela_is_tested(const struct model *m, const struct promela_options *opt, uint32_t read,
		       uint32_t at);

/* The writes, 0: the initial value, other than the one it saw after which `at' decides as observed; they
 * must have stored what is in the trace. */
typedef VEC(uint32_t) promela_writers;
void promela_would_do(const struct model *m, uint32_t read, uint32_t at, promela_writers *out);

/* What the event is, as a comment that nothing in a name can end. */
void promela_comment(uint64_t number, const char *text, struct strbuf *out);

enum status promela_goals_find(const struct model *m, const struct promela_options *opt,
			       struct promela_goals *out, struct diag *d) ST_CHECKED;

/* ---- lattices ---- */

/* A point as it was sent. */
struct lattice_point {
	uint64_t pos;
	uint32_t lane, index; /* index: in its lane, from 0 */
	uint32_t needs, nneeds, starts, nstarts, joins, njoins;
	bool has_item;
	struct watch_item item; /* item.writes: into the model's own list */
};

struct lattice_set {
	uint32_t resource, number; /* number: from 1, within the resource */
	bool shared, closed;
	VEC(struct point_need) last; /* by lane that has members: how far the last one is */
};

struct promela_lattice {
	VEC(struct lattice_point) points; /* in observed order */
	VEC(struct point_need) needs;
	VEC(uint32_t) ids; /* starts and joins */
	VEC(struct watch_write) writes;
	VEC(struct lattice_set) sets;
	VEC(uint32_t) resources;	     /* sets by resource, so far */
	VEC(uint32_t) lanes;		     /* points by lane */
	const struct monitor_value *initial; /* by variable of the spec; NULL without one */
};

/* Declarations of one property, between #if and #elif: BEFORE, a statement that looks at the initial
 * state, and for each point with an item a macro AFTER_n that says what it does. */
void promela_property(const struct promela_lattice *l, const struct promela_lattice_options *opt,
		      uint32_t monitor, struct strbuf *out);

#endif /* EXPORT_PROMELA_PRIV_H */
