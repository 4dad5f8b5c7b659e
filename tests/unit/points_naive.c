#include "points_naive.h"

#include <stdlib.h>
#include <string.h>

static bool has_set(const uint64_t *mask, uint32_t set)
{
	return mask[set / 64] >> set % 64 & 1;
}

static void break_rule(struct points_naive *p, const char *what)
{
	if (!p->broken)
		p->broken = what;
}

/* ---- the sink ---- */

static void take_set(void *arg, uint32_t set, uint32_t resource, unsigned flags)
{
	struct points_naive *p = arg;

	if (set != p->nsets || set >= NAIVE_SETS)
		break_rule(p, "sets are not numbered one after the other");
	else
		p->sets[p->nsets++] = (struct naive_set){ resource, flags, 0, -1, false };
}

static void member_add(struct points_naive *p, struct naive_point *m, uint32_t set, bool starts)
{
	if (set >= p->nsets) {
		break_rule(p, "a set that is not known");
		return;
	}
	if (p->sets[set].closed)
		break_rule(p, "a member of a closed set");
	if (starts != (p->sets[set].starter < 0))
		break_rule(p, "a set is started once, and by its first member");
	if (starts)
		p->sets[set].starter = (int)p->n;
	p->sets[set].members |= 1u << p->n;
	(starts ? m->starts : m->joins)[set / 64] |= (uint64_t)1 << set % 64;
}

/* All points of a lane before the count-th, and that. */
static uint32_t lane_mask(struct points_naive *p, uint32_t lane, uint32_t count)
{
	uint32_t mask = 0;

	if (lane >= NAIVE_LANES || count > p->count[lane]) {
		break_rule(p, "needs a point that has not come");
		return 0;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->at[i].lane == lane && p->at[i].index < count)
			mask |= 1u << i;
	return mask;
}

static void take_point(void *arg, const struct point *m)
{
	struct points_naive *p = arg;
	struct naive_point *x = &p->at[p->n];

	if (p->n == NAIVE_POINTS || m->lane >= NAIVE_LANES) {
		break_rule(p, "too many points");
		return;
	}
	if (p->ended[m->lane])
		break_rule(p, "a point of a lane that has ended");
	*x = (struct naive_point){ .pos = m->pos, .lane = m->lane, .relevant = m->item != NULL };
	x->index = p->count[m->lane];
	x->needs = lane_mask(p, m->lane, x->index);
	for (uint32_t i = 0; i < m->nneeds; i++)
		x->needs |= lane_mask(p, m->needs[i].lane, m->needs[i].count);
	for (uint32_t i = 0; i < m->nstarts; i++)
		member_add(p, x, m->starts[i], true);
	for (uint32_t i = 0; i < m->njoins; i++)
		member_add(p, x, m->joins[i], false);
	p->count[m->lane]++;
	p->n++;
}

static void take_close(void *arg, uint32_t set)
{
	struct points_naive *p = arg;

	if (set >= p->nsets || p->sets[set].closed)
		break_rule(p, "closes what is not open");
	else
		p->sets[set].closed = true;
}

static void take_wait(void *arg, uint32_t lane, bool waits)
{
	struct points_naive *p = arg;

	(void)waits;
	if (lane >= NAIVE_LANES || p->ended[lane])
		break_rule(p, "a hint about a lane that has ended");
}

static void take_end(void *arg, uint32_t lane)
{
	struct points_naive *p = arg;

	if (lane < NAIVE_LANES)
		p->ended[lane] = true;
}

struct point_sink points_naive_sink(struct points_naive *p)
{
	return (struct point_sink){ p, take_set, take_point, take_close, take_wait, take_end };
}

/* ---- the lattice ---- */

static bool set_is_open(const struct points_naive *p, uint32_t done, uint32_t s)
{
	const struct naive_set *x = &p->sets[s];

	if (x->starter < 0 || !(done >> x->starter & 1))
		return false;
	return !x->closed || (x->members & ~done);
}

static bool may_start(const struct points_naive *p, uint32_t done, uint32_t s)
{
	for (uint32_t o = 0; o < p->nsets; o++)
		if (o != s && p->sets[o].resource == p->sets[s].resource &&
		    set_is_open(p, done, o) &&
		    !(p->sets[o].flags & p->sets[s].flags & POINT_SHARED))
			return false;
	return true;
}

bool points_naive_enabled(const struct points_naive *p, uint32_t done, uint32_t i)
{
	const struct naive_point *x = &p->at[i];

	if ((done >> i & 1) || (x->needs & ~done))
		return false;
	for (uint32_t s = 0; s < p->nsets; s++) {
		if (has_set(x->starts, s) && !may_start(p, done, s))
			return false;
		if (has_set(x->joins, s) && !(done >> p->sets[s].starter & 1))
			return false;
	}
	return true;
}

struct cuts {
	uint32_t *mask;
	uint64_t *runs;
	uint32_t n;
};

static void cuts_add(struct cuts *l, uint32_t mask, uint64_t runs, uint32_t room)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->mask[i] == mask) {
			l->runs[i] += runs;
			return;
		}
	if (l->n == room)
		return;
	l->mask[l->n] = mask;
	l->runs[l->n++] = runs;
}

bool points_naive_count(const struct points_naive *p, uint32_t limit, struct runs_counts *out)
{
	uint32_t all = p->n == 32 ? UINT32_MAX : (1u << p->n) - 1, room = limit + 1;
	struct cuts now = { malloc(room * sizeof(uint32_t)), malloc(room * sizeof(uint64_t)), 0 };
	struct cuts next = { malloc(room * sizeof(uint32_t)), malloc(room * sizeof(uint64_t)), 0 };

	memset(out, 0, sizeof(*out));
	if (!now.mask || !now.runs || !next.mask || !next.runs)
		abort();
	cuts_add(&now, 0, 1, room);
	while (now.n && out->cuts <= limit) {
		struct cuts spare = now;

		out->cuts += now.n;
		out->widest = now.n > out->widest ? now.n : out->widest;
		next.n = 0;
		for (uint32_t i = 0; i < now.n; i++) {
			uint64_t edges = out->edges;

			if (now.mask[i] == all)
				out->runs = now.runs[i];
			for (uint32_t k = 0; k < p->n; k++)
				if (points_naive_enabled(p, now.mask[i], k)) {
					cuts_add(&next, now.mask[i] | 1u << k, now.runs[i], room);
					out->edges++;
				}
			out->dead_ends += edges == out->edges && now.mask[i] != all;
		}
		now = next;
		next = spare;
	}
	free(now.mask);
	free(now.runs);
	free(next.mask);
	free(next.runs);
	return out->cuts <= limit;
}
