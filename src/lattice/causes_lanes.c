/*
 * Lanes: what the sink is told of them beside points, and what each knew when.
 *
 * Hints.  A lane `waits' while its next point certainly needs a point of another lane that has not
 * come yet: it waits for a join, a condition, MVC: a lock, or for a thread to be forked into it.  Then
 * no cut can have that next point, so levels may be built without it.  The wait ends with what ends it
 * (the signal, the release, the end of the thread) and not with the lane's own next event, which needs
 * nothing that the other lane does later.  A spurious wakeup makes the hint wrong: levels built
 * meanwhile lack the runs in which it comes earlier.
 */
#include "lattice/causes_priv.h"

#define PAST_MAX 256   /* moments of a lane that are kept */
#define PAST_MERGE 192 /* of these, as many older ones are made half as many */

/* ---- lanes ---- */

static void lane_tell(struct causes *c, uint32_t lane, bool waits)
{
	struct causes_lane *l = &c->lanes.at[lane];

	if (c->sink.wait && !l->ended && (l->waits != waits || !l->met))
		c->sink.wait(c->sink.arg, lane, waits);
	if (l->waits && l->wait != CAUSES_WAIT_FORK)
		c->nwaits--;
	l->waits = waits;
	l->met = true;
}

void causes_lane_wait(struct causes *c, uint32_t lane, enum causes_wait wait, uint32_t obj)
{
	lane_tell(c, lane, true);
	c->lanes.at[lane].wait = wait;
	c->lanes.at[lane].wait_obj = obj;
	c->nwaits += wait != CAUSES_WAIT_FORK;
}

void causes_lanes_wake(struct causes *c, enum causes_wait wait, uint32_t obj)
{
	for (uint32_t i = 0; c->nwaits && i < c->lanes.n; i++) {
		const struct causes_lane *l = &c->lanes.at[i];

		if (l->waits && l->wait == wait && l->wait_obj == obj)
			lane_tell(c, i, false);
	}
}

void causes_lane_meet(struct causes *c, uint32_t lane)
{
	VEC_REACH(&c->lanes, lane);
	if (!c->lanes.at[lane].met || c->lanes.at[lane].waits)
		lane_tell(c, lane, false);
}

void causes_lane_end(struct causes *c, uint32_t lane)
{
	struct causes_lane *l = &c->lanes.at[lane];

	if (c->sink.end && !l->ended)
		c->sink.end(c->sink.arg, lane);
	l->ended = true;
}

/* ---- what a lane knew ---- */

static void past_merge(struct causes *c, struct causes_lane *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->past.n; i++) {
		struct causes_past *p = &l->past.at[i];

		if (i < PAST_MERGE && i % 2 == 0) {
			known_set(&c->knowns, &p->known, NULL);
			p[1].pos = p->pos;
			p[1].merged = true;
		} else {
			l->past.at[kept++] = *p;
		}
	}
	l->past.n = kept;
}

void causes_past_note(struct causes *c)
{
	struct causes_lane *l = &c->lanes.at[c->lane];
	struct causes_past *p;

	if (l->past.n ? l->past.at[l->past.n - 1].known == l->now : !l->now)
		return;
	if (l->past.n == PAST_MAX)
		past_merge(c, l);
	p = VEC_PUSH(&l->past);
	*p = (struct causes_past){ .pos = c->pos };
	known_set(&c->knowns, &p->known, l->now);
}

void causes_past_join(struct causes *c, uint32_t lane, uint64_t pos, bool guard)
{
	const struct causes_past *found = NULL;

	if (lane >= c->lanes.n) {
		for (size_t i = 0; i < c->lanes.n; i++)
			known_join(&c->knowns, causes_now(c), c->lanes.at[i].now);
		return;
	}
	for (size_t i = c->lanes.at[lane].past.n; i > 0 && !found; i--)
		if (c->lanes.at[lane].past.at[i - 1].pos <= pos)
			found = &c->lanes.at[lane].past.at[i - 1];
	if (found && !(guard && !found->merged && causes_is_never(c, found->known)))
		known_join(&c->knowns, causes_now(c), found->known);
}
