/*
 * What the two halves of the walk share: circles of places, and requests along one of them.
 */
#ifndef PREDICT_PATTERNS_PRIV_H
#define PREDICT_PATTERNS_PRIV_H

#include "base/common.h"
#include "predict/lockgraph.h"
#include "predict/patterns.h"

/*
 * Locks that are held around a thread's whole life (V55):
 *
 *	T0   acquire g   fork T1 ........ join T1   release g
 *	                    T1 ===========|
 *
 * Whoever else holds g holds it before T1 begins or after it ends.
 */
struct patterns_parents;
struct patterns_parents *patterns_parents_new(const struct model *m);
void patterns_parents_free(struct patterns_parents *p);
/* Requests a and b can never be next at once for that reason. */
bool patterns_parents_exclude(const struct patterns_parents *p, const struct lockgraph *g,
			      uint32_t a, uint32_t b);

struct patterns {
	const struct lockgraph *g;
	const struct engine_options *opt;
	struct patterns_parents *parents; /* NULL: not asked for */
	uint64_t left;			  /* steps */

	/* Places: edge p -> q when something wanted at p is provided at q. */
	uint32_t *next_start, *next; /* by p */
	uint32_t *prev_start, *prev; /* by q */
	uint32_t *distance;	     /* steps from a place to the first of the circle */
	VEC(uint32_t) queue;

	/* The circle at hand. */
	uint32_t n;
	uint32_t places[PATTERN_MOST];
	uint32_t period;  /* turned by so many places it is itself */
	uint64_t reserve; /* `left' when this circle has had its share */
	bool cut;	  /* some circle, or the whole, ran out of steps */
	struct pattern pattern;
	struct map chorded; /* patterns that can be seen as more than one circle */
	const struct patterns_visitor *visitor;
};

/* patterns_places.c */
void patterns_places_init(struct patterns *p);
/* Calls patterns_circle for each circle of n places, as long as there are steps left. */
void patterns_places_walk(struct patterns *p, uint32_t n);

/* patterns.c: all patterns along p->places. */
void patterns_circle(struct patterns *p);

/* False: no more steps for the circle at hand. */
static inline bool patterns_spend(struct patterns *p, uint64_t steps)
{
	p->left -= steps < p->left ? steps : p->left;
	p->cut |= p->left <= p->reserve;
	return p->left > p->reserve;
}

#endif /* PREDICT_PATTERNS_PRIV_H */
