/*
 * For each request of the pattern a pointer into its events, and one cut:
 *
 *	cut := cut joined with what must run before the events pointed at, closed
 *	events in the cut are passed by their pointers, for good: the cut of any later events
 *	holds them, too
 *	no event passed: they are next after the cut
 *
 * Cut and pointers only grow, so a pattern costs as many steps as it has events, and the first
 * answer is the earliest.
 */

#include "predict/deadlocks_priv.h"

/* Joins what runs before the events whose pointers have moved.  False: that can never be. */
static bool join_moved(const struct spd_question *q, const struct pattern *p, const bool *moved,
		       const uint32_t *events, uint32_t *cut)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (moved[i] && !causal_arrive(q->c, events[i], cut))
			return false;
	return !q->closed || goal_close(q->g->m, q->c, cut);
}

/* Passes the events of a request that are in the cut.  False: all are. */
static bool pass_taken(const struct lockgraph *g, uint32_t request, uint32_t *at,
		       const uint32_t *cut, uint64_t *steps)
{
	const struct lockgraph_request *r = &g->requests[request];

	while (*at < r->n && model_is_in(g->m, g->events[r->first + *at], cut)) {
		++*at;
		*steps -= *steps > 0;
	}
	return *at < r->n;
}

bool spd_scan(const struct spd_question *q, const struct pattern *p, uint64_t *steps,
	      uint32_t *events, uint32_t *cut)
{
	uint32_t at[PATTERN_MOST] = { 0 };
	bool moved[PATTERN_MOST], again = true;

	memset(cut, 0, q->g->m->nchains * sizeof(*cut));
	for (uint32_t i = 0; i < p->n; i++) {
		moved[i] = true;
		events[i] = q->g->events[q->g->requests[p->at[i]].first];
	}
	while (again) {
		if (*steps == 0)
			return false;
		*steps -= 1;
		if (!join_moved(q, p, moved, events, cut))
			return false;
		again = false;
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t before = at[i];

			if (!pass_taken(q->g, p->at[i], &at[i], cut, steps))
				return false;
			moved[i] = at[i] != before;
			again |= moved[i];
			events[i] = q->g->events[q->g->requests[p->at[i]].first + at[i]];
		}
	}
	return true;
}
