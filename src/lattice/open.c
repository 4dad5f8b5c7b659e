/*
 * Which sets are open, and so which may be started.
 *
 * The definition asks every set of the resource for every cut.  Most sets are locks, whose members
 * are all of one lane: such a set is open just while that lane stands between two of its own
 * points.  So each lane has, for each of its points, the resources that it has open there, as bits;
 * those of all lanes together answer most questions at once.  Where the answer depends on other lanes
 * (a write and its readers), or a bit is not one resource's alone, the sets are asked after all.
 */
#include "lattice/lattice_priv.h"

/* One past the last set that the lane has started with so many points. */
static size_t sets_started(const struct lattice *l, const struct lane_sets *by, uint32_t count)
{
	return SEARCH_PAST(i, by->head, by->sets.n, l->lanes.sets.at[by->sets.at[i]].start < count);
}

/* Whatever sets of the resource the lane has started by then, it has also ended: the latest, and
 * shared ones before that (see lane_free). */
static bool all_over(const struct lattice *l, const struct lane_resource *r, uint32_t lane,
		     uint32_t count)
{
	for (size_t i = 0; i < r->by.n; i++) {
		const struct lane_sets *by = &r->by.at[i];
		size_t k = by->lane == lane ? sets_started(l, by, count) : by->head;

		while (k-- > by->head) {
			const struct lane_set *s = &l->lanes.sets.at[by->sets.at[k]];

			if (!s->closed || s->members.n > 1 || s->members.at[0].count > count)
				return false;
			if (!(s->flags & POINT_SHARED))
				break;
		}
	}
	return true;
}

/* What is open after the point, given what was before it. */
static struct lane_open after_point(const struct lattice *l, struct lane_open o, uint32_t lane,
				    uint32_t index)
{
	const struct lane_point *m = lanes_at(&l->lanes, lane, index);

	for (uint32_t i = 0; i < m->nstarts + m->njoins; i++) {
		const struct lane_set *s = &l->lanes.sets.at[m->sets[i]];
		const struct lane_resource *r = &l->lanes.resources.at[s->resource];
		uint64_t bit = UINT64_C(1) << r->bit;
		bool own = s->members.n == 1 && (s->closed || (s->flags & POINT_OWN));

		if (s->lane != lane)
			continue;
		if (own && s->closed && s->members.at[0].count == index + 1) {
			o.certain &= ~bit;
			if (r->bit != LANE_BIT_ODD && all_over(l, r, lane, index + 1))
				o.maybe &= ~bit;
		} else if (i < m->nstarts && own && !(s->flags & POINT_SHARED) &&
			   r->bit != LANE_BIT_ODD) {
			o.certain |= bit;
		} else if (i < m->nstarts || (o.certain & bit && !s->closed)) {
			o.certain &= ~bit;
			o.maybe |= bit;
		}
	}
	return o;
}

void open_fill(struct lattice *l, uint32_t lane, uint32_t count)
{
	struct packing_lane *w = &l->window.at[lane];

	/* Points that are gone already came before there were any sets. */
	if (!w->open.n) {
		w->open_first = l->lanes.at.at[lane].first;
		*VEC_PUSH(&w->open) = (struct lane_open){ 0, 0 };
	}
	while (w->open_first + w->open.n <= count) {
		struct lane_open o = after_point(l, w->open.at[w->open.n - 1], lane,
						 w->open_first + (uint32_t)w->open.n - 1);

		*VEC_PUSH(&w->open) = o;
	}
}

void open_forget(struct lattice *l, uint32_t lane, uint32_t base)
{
	struct packing_lane *w = &l->window.at[lane];
	size_t gone = base - w->open_first;

	assert(gone < w->open.n);
	VEC_CUT(&w->open, 0, gone);
	w->open_first = base;
	/* Bits of resources that have gone. */
	for (size_t i = 0; i < w->open.n; i++)
		w->open.at[i].maybe &= ~l->lanes.free_bits;
}

void open_doubt(struct lattice *l)
{
	for (size_t i = 0; i < l->window.n; i++) {
		struct packing_lane *w = &l->window.at[i];

		for (size_t k = 0; k < w->open.n; k++) {
			w->open.at[k].maybe |= w->open.at[k].certain;
			w->open.at[k].certain = 0;
		}
	}
	l->idle.maybe |= l->idle.certain;
	l->idle.certain = 0;
	l->odd_sets = l->lanes.odd_sets;
}

void open_idle(struct lattice *l)
{
	const struct packing *p = l->packing;

	l->idle = (struct lane_open){ 0, 0 };
	for (uint32_t i = 0; i < p->nlanes; i++) {
		const struct packing_lane *w = &l->window.at[i];

		if (p->by_lane[i].mask || !w->open.n)
			continue;
		l->idle.certain |= w->open.at[p->by_lane[i].base - w->open_first].certain;
		l->idle.maybe |= w->open.at[p->by_lane[i].base - w->open_first].maybe;
	}
}

void open_views(struct lattice *l)
{
	VEC_CLEAR(&l->views);
	for (uint32_t k = 0; k < l->packing->nactive; k++) {
		const struct packing_field *f = &l->packing->by_lane[l->packing->active[k]];
		const struct packing_lane *w = &l->window.at[f->lane];

		open_fill(l, f->lane, l->top.at[f->lane]);
		*VEC_PUSH(&l->views) =
			(struct packing_view){ .word = f->word,
					       .shift = f->shift,
					       .mask = f->mask,
					       .open = w->open.at + (f->base - w->open_first) };
	}
}

/* --- asking the sets --- */

static bool is_complete(const struct lane_set *s, const struct packing *p, const uint64_t *key)
{
	for (size_t i = 0; i < s->members.n; i++)
		if (packing_count(p, key, s->members.at[i].lane) < s->members.at[i].count)
			return false;
	return true;
}

/* Sets of one lane: only its latest started one may be open, and shared ones before that, for each
 * was started when those before it were complete, or shared as itself. */
static bool lane_free(const struct lattice *l, const struct packing *p, const uint64_t *key,
		      const struct lane_sets *by, bool shared, uint32_t *wait)
{
	size_t lo = sets_started(l, by, packing_count(p, key, by->lane));

	while (lo-- > by->head) {
		const struct lane_set *s = &l->lanes.sets.at[by->sets.at[lo]];
		bool in = is_complete(s, p, key);

		if (!(in && s->closed) && !(shared && (s->flags & POINT_SHARED))) {
			if (in && !(s->flags & POINT_OWN) && wait)
				*wait = by->sets.at[lo] + 1;
			return false;
		}
		if (!(s->flags & POINT_SHARED))
			break;
	}
	return true;
}

bool open_sets_free(const struct lattice *l, const struct packing *p, const uint64_t *key,
		    const struct lane_point *m, uint32_t *wait)
{
	uint32_t waits = 0, refused = 0;

	for (uint32_t i = 0; i < m->nstarts; i++) {
		const struct lane_set *s = &l->lanes.sets.at[m->sets[i]];
		const struct lane_resource *r = &l->lanes.resources.at[s->resource];

		for (size_t k = 0; k < r->by.n; k++) {
			uint32_t w = 0;

			if (lane_free(l, p, key, &r->by.at[k], (s->flags & POINT_SHARED) != 0, &w))
				continue;
			if (!w)
				return false;
			refused++;
			waits = w;
		}
	}
	if (waits && wait)
		*wait = waits;
	return !refused;
}
