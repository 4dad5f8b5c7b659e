/*
 * Deadlock patterns (Joshi et al., PLDI 2009): requests of different threads, each of which wants
 * what the next one provides, the last what the first does; what they hold does not exclude one
 * another, nor do the locks that a parent holds around its children.
 *
 * There may be more of them than anybody can list.  So they come by length, the short first, and
 * by their places: a circle of places is one bug to a reader, and who has seen enough of it says
 * so and is spared the rest.
 *
 * Ownership: patterns borrow the graph.  Threads: one at a time.
 */
#ifndef PREDICT_PATTERNS_H
#define PREDICT_PATTERNS_H

#include "finding/finding.h"

struct engine_options;
struct lockgraph;
struct model;

#define PATTERN_MOST FINDING_EVENTS

struct pattern {
	uint32_t n;
	uint32_t at[PATTERN_MOST]; /* requests; each waits for the next, the last for the first */
};

struct patterns_visitor {
	/* A circle of n places; false: its patterns are not wanted. */
	bool (*begin)(void *arg, const uint32_t *places, uint32_t n);
	/* A pattern; false: no more of this circle of places.  *spent: steps it took to look at it,
	 * which count as ours do. */
	bool (*meet)(void *arg, const struct pattern *p, uint64_t *spent);
	void *arg;
};

struct patterns;

/* parents: locks that a parent holds around its children keep patterns apart. */
struct patterns *patterns_new(const struct lockgraph *g, const struct engine_options *opt,
			      bool parents);
void patterns_free(struct patterns *p);

/* Most threads that a pattern of this graph can have; below 2, there is none. */
uint32_t patterns_longest(const struct patterns *p);

/* All patterns of n threads, each once.  False: the budget ran out, or the run was stopped. */
bool patterns_walk(struct patterns *p, uint32_t n, const struct patterns_visitor *v);

#endif /* PREDICT_PATTERNS_H */
