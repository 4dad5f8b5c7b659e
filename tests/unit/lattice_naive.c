#include "unit/lattice_naive.h"

#include <stdlib.h>
#include <string.h>

#include "unit/lattice_toy.h"

uint32_t naive_number(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % below;
}

/* --- the toy --- */

uint32_t naive_step(uint32_t config, uint32_t item)
{
	uint32_t state = config % NAIVE_STATES, flags = config / NAIVE_STATES;

	if (flags == 3)
		return config;
	state = (state * 3 + item) % NAIVE_STATES;
	if (state == 7)
		flags |= 1;
	if (state == 4)
		flags |= 2;
	return flags == 3 ? NAIVE_STATES * 3 : flags * NAIVE_STATES + state;
}

uint64_t naive_bad(uint32_t config)
{
	return config / NAIVE_STATES & 1;
}

uint64_t naive_error(uint32_t config)
{
	return config / NAIVE_STATES & 2;
}

/* --- random computations --- */

static void add_need(struct naive_point *p, uint32_t lane, uint32_t count)
{
	if (p->nneeds < 3 && lane != p->lane && count)
		p->needs[p->nneeds++] = (struct point_need){ lane, count };
}

static void random_start(struct naive *c, uint32_t i, uint32_t resources, uint64_t *seed)
{
	struct naive_point *p = &c->at[i];
	struct naive_set *s = &c->sets[c->nsets];
	uint32_t kind = naive_number(seed, 4);

	if (c->nsets == NAIVE_SETS)
		return;
	*s = (struct naive_set){ .resource = naive_number(seed, resources), .start = (int)i };
	s->flags = (kind == 0 ? POINT_SHARED : 0) | (naive_number(seed, 2) ? POINT_OWN : 0);
	s->closed = -1;
	for (uint32_t k = 0; k < p->nstarts; k++)
		if (c->sets[p->starts[k]].resource == s->resource)
			return;
	s->member[i] = true;
	p->starts[p->nstarts++] = c->nsets++;
}

/* A set whose start is before point i and that is open there, of which the point can be. */
static void random_join(struct naive *c, uint32_t i, uint64_t *seed)
{
	struct naive_point *p = &c->at[i];
	uint32_t k = naive_number(seed, c->nsets);
	struct naive_set *s = &c->sets[k];
	const struct naive_point *first = &c->at[s->start];

	if (s->closed >= 0 || s->start == (int)i || p->njoins == 2 || p->nneeds == 3 ||
	    (p->njoins && p->joins[0] == k) ||
	    ((s->flags & POINT_OWN) && first->lane != p->lane && naive_number(seed, 4)))
		return;
	add_need(p, first->lane, first->index + 1);
	s->member[i] = true;
	p->joins[p->njoins++] = k;
	/* A lock's set is closed by its last member, or never; the one who gives it back need not
	 * be the one who took it. */
	if ((s->flags & POINT_OWN) && naive_number(seed, 3)) {
		s->closed = (int)i;
		p->closes[p->ncloses++] = k;
	}
}

/* Some of the others are closed when a set of the same resource is seen, some at the end. */
static void close_others(struct naive *c, uint32_t i, uint64_t *seed)
{
	struct naive_point *p = &c->at[i];

	for (uint32_t k = 0; k < c->nsets; k++) {
		struct naive_set *s = &c->sets[k];

		if (s->closed >= 0 || (s->flags & POINT_OWN) || s->start == (int)i ||
		    p->ncloses == 2 || naive_number(seed, 3) == 0)
			continue;
		s->closed = (int)i;
		p->closes[p->ncloses++] = k;
	}
}

void naive_random(struct naive *c, uint64_t *seed)
{
	uint32_t resources = 1 + naive_number(seed, 3), dense = naive_number(seed, 4);
	uint32_t known[NAIVE_LANES] = { 0 };

	memset(c, 0, sizeof(*c));
	c->nlanes = 1 + naive_number(seed, NAIVE_LANES);
	c->n = naive_number(seed, 15);
	c->configs = naive_number(seed, 2);
	for (uint32_t i = 0; i < c->n; i++) {
		struct naive_point *p = &c->at[i];

		p->lane = naive_number(seed, c->nlanes);
		p->index = known[p->lane]++;
		for (uint32_t k = naive_number(seed, 3); k > 0; k--) {
			uint32_t lane = naive_number(seed, c->nlanes);

			add_need(p, lane, naive_number(seed, known[lane] + 1));
		}
		if (dense && naive_number(seed, 4) < dense)
			random_start(c, i, resources, seed);
		if (dense > 1 && naive_number(seed, 6) == 0)
			random_start(c, i, resources, seed);
		if (c->nsets && naive_number(seed, 2))
			random_join(c, i, seed);
		if (c->nsets && naive_number(seed, 3) == 0)
			close_others(c, i, seed);
		if (naive_number(seed, 3))
			p->item = 1 + naive_number(seed, 4);
	}
	for (uint32_t k = 0; k < c->nsets; k++)
		if (c->sets[k].closed < 0 && !(c->sets[k].flags & POINT_OWN) &&
		    naive_number(seed, 4))
			c->sets[k].closed = NAIVE_POINTS;
}

void naive_send(const struct naive *c, uint32_t i, const struct point_sink *sink)
{
	const struct naive_point *p = &c->at[i];
	struct watch_write writes[3] = { 0 };
	struct watch_item item = toy_item(p->item ? p->item : 1, 0, writes + 1);
	struct point m = { .pos = i + 1,
			   .lane = p->lane,
			   .nneeds = p->nneeds,
			   .nstarts = p->nstarts,
			   .njoins = p->njoins,
			   .needs = p->needs,
			   .starts = p->starts,
			   .joins = p->joins,
			   .item = p->item && c->configs ? &item : NULL,
			   .writes = writes };

	item.writes = 1; /* of those that come along */
	for (uint32_t k = 0; k < p->nstarts; k++)
		sink->set(sink->arg, p->starts[k], c->sets[p->starts[k]].resource,
			  c->sets[p->starts[k]].flags);
	sink->point(sink->arg, &m);
	for (uint32_t k = 0; k < p->ncloses; k++)
		sink->close(sink->arg, p->closes[k]);
	for (uint32_t k = 0; k < c->nsets && i + 1 == c->n; k++)
		if (c->sets[k].closed == NAIVE_POINTS)
			sink->close(sink->arg, k);
}

/* --- the lattice by its definition --- */

struct node {
	uint8_t cut[NAIVE_LANES];
	uint32_t config;
	uint64_t count;
};

struct list {
	struct node *at;
	size_t n, capacity;
};

static bool is_in(const struct naive *c, const uint8_t *cut, int point)
{
	return c->at[point].index < cut[c->at[point].lane];
}

static bool set_blocks(const struct naive *c, const uint8_t *cut, const struct naive_set *mine,
		       const struct naive_set *s)
{
	bool complete = s->closed >= 0;

	if (s == mine || s->resource != mine->resource || !is_in(c, cut, s->start))
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		complete = complete && (!s->member[i] || is_in(c, cut, (int)i));
	return !complete && !((s->flags & POINT_SHARED) && (mine->flags & POINT_SHARED));
}

bool naive_may(const struct naive *c, const uint8_t *cut, uint32_t lane, int *point)
{
	const struct naive_point *p;

	*point = -1;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].lane == lane && c->at[i].index == cut[lane])
			*point = (int)i;
	if (*point < 0)
		return false;
	p = &c->at[*point];
	for (uint32_t k = 0; k < p->nneeds; k++)
		if (cut[p->needs[k].lane] < p->needs[k].count)
			return false;
	for (uint32_t k = 0; k < p->nstarts; k++)
		for (uint32_t s = 0; s < c->nsets; s++)
			if (set_blocks(c, cut, &c->sets[p->starts[k]], &c->sets[s]))
				return false;
	return true;
}

static void add_node(struct list *l, const uint8_t *cut, uint32_t config, uint64_t count)
{
	for (size_t i = 0; i < l->n; i++)
		if (memcmp(l->at[i].cut, cut, NAIVE_LANES) == 0 && l->at[i].config == config) {
			l->at[i].count += count;
			return;
		}
	if (l->n == l->capacity)
		l->at = realloc(l->at, (l->capacity = l->capacity * 2 + 8) * sizeof(*l->at));
	memcpy(l->at[l->n].cut, cut, NAIVE_LANES);
	l->at[l->n].config = config;
	l->at[l->n++].count = count;
}

static bool first_of_cut(const struct list *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (memcmp(l->at[k].cut, l->at[i].cut, NAIVE_LANES) == 0)
			return false;
	return true;
}

static void look(const struct list *l, uint64_t level, struct naive_answer *out)
{
	uint64_t cuts = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct node *x = &l->at[i];
		bool hit[2] = { naive_bad(x->config) != 0, naive_error(x->config) != 0 };

		cuts += first_of_cut(l, i);
		for (int p = 0; p < 2; p++) {
			if (!hit[p] || out->found_level[p] < level)
				continue;
			if (out->found_level[p] == UINT64_MAX ||
			    memcmp(x->cut, out->found_cut[p], NAIVE_LANES) < 0)
				memcpy(out->found_cut[p], x->cut, NAIVE_LANES);
			out->found_level[p] = level;
		}
	}
	out->cuts += cuts;
	out->widest = cuts > out->widest ? cuts : out->widest;
	out->levels = level + 1;
}

static void expand(const struct naive *c, const struct list *l, struct list *next,
		   struct naive_answer *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct node *x = &l->at[i];
		bool first = first_of_cut(l, i), any = false, full = true;

		for (uint32_t lane = 0; lane < c->nlanes; lane++) {
			uint8_t cut[NAIVE_LANES];
			uint32_t config = x->config;
			int p;
			bool may = naive_may(c, x->cut, lane, &p);

			full = full && p < 0;
			if (!may)
				continue;
			any = true;
			out->edges += first;
			memcpy(cut, x->cut, NAIVE_LANES);
			cut[lane]++;
			if (c->configs && c->at[p].item)
				config = naive_step(config, c->at[p].item);
			add_node(next, cut, config, x->count);
		}
		out->dead_ends += first && !any && !full;
		out->runs += full ? x->count : 0;
		out->violating += full && naive_bad(x->config) ? x->count : 0;
	}
}

void naive_solve(const struct naive *c, struct naive_answer *out)
{
	struct list level = { 0 }, next = { 0 };
	uint8_t none[NAIVE_LANES] = { 0 };

	*out = (struct naive_answer){ .found_level = { UINT64_MAX, UINT64_MAX } };
	add_node(&level, none, 1, 1);
	for (uint64_t n = 0; level.n; n++) {
		struct list was = level;

		look(&level, n, out);
		next.n = 0;
		expand(c, &level, &next, out);
		level = next;
		next = was;
	}
	free(level.at);
	free(next.at);
}
