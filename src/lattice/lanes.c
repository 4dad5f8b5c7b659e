/*
 * Points and sets as they come, until no cut needs them any more.
 *
 * A lane is a queue of points: new ones come in at the end, and those that are in every cut of the
 * level leave at the front.  A set lives until it is complete in every cut.
 */
#include "lattice/lattice_priv.h"

#define COMPACT 1024 /* dead items at the front of a queue before it is moved */

/* Moves a queue, a vec whose items from `head' on are alive, if most of it is dead. */
#define QUEUE_COMPACT(v, head)                                 \
	do {                                                   \
		if ((head) >= COMPACT && (head)*2 >= (v)->n) { \
			VEC_CUT(v, 0, head);                   \
			(head) = 0;                            \
		}                                              \
	} while (0)

static void release_resource(struct lane_resource *r)
{
	for (size_t i = 0; i < r->by.n; i++)
		VEC_RELEASE(&r->by.at[i].sets);
	VEC_RELEASE(&r->by);
}

void lanes_release(struct lanes *ls)
{
	for (size_t i = 0; i < ls->at.n; i++) {
		struct lane *lane = &ls->at.at[i];

		for (size_t k = lane->head; k < lane->points.n; k++)
			mem_free(lane->points.at[k].needs);
		VEC_RELEASE(&lane->points);
	}
	for (size_t i = 0; i < ls->sets.n; i++)
		VEC_RELEASE(&ls->sets.at[i].members);
	for (size_t i = 0; i < ls->resources.n; i++)
		release_resource(&ls->resources.at[i]);
	MAP_RELEASE_ALL(&ls->set_index, &ls->resource_index);
	VEC_RELEASE_ALL(&ls->at, &ls->sets, &ls->resources, &ls->free_sets, &ls->free_resources,
			&ls->order);
}

struct lane *lanes_reach(struct lanes *ls, uint32_t lane)
{
	VEC_REACH(&ls->at, lane);
	return &ls->at.at[lane];
}

const struct lane_point *lanes_at(const struct lanes *ls, uint32_t lane, uint32_t index)
{
	const struct lane *q = &ls->at.at[lane];

	assert(index >= q->first && index < q->known);
	return &q->points.at[q->head + (index - q->first)];
}

/* --- sets --- */

static uint32_t resource_of(struct lanes *ls, uint64_t number)
{
	bool fresh;
	uint64_t *index = map_put(&ls->resource_index, number, &fresh);
	struct lane_resource *r;
	uint32_t i;

	if (!fresh)
		return (uint32_t)*index;
	*index = i = (uint32_t)VEC_TAKE(&ls->resources, &ls->free_resources);
	r = &ls->resources.at[i];
	*r = (struct lane_resource){ .number = number, .live = true, .bit = LANE_BIT_ODD };
	if (ls->free_bits) {
		r->bit = (unsigned)__builtin_ctzll(ls->free_bits);
		ls->free_bits &= ls->free_bits - 1;
	}
	return i;
}

static void drop_resource(struct lanes *ls, uint32_t i)
{
	struct lane_resource *r = &ls->resources.at[i];

	if (r->bit != LANE_BIT_ODD)
		ls->free_bits |= UINT64_C(1) << r->bit;
	release_resource(r);
	r->live = false;
	map_remove(&ls->resource_index, r->number);
	*VEC_PUSH(&ls->free_resources) = i;
}

void lanes_set(struct lanes *ls, uint64_t number, uint64_t resource, unsigned flags)
{
	bool fresh;
	uint64_t *index = map_put(&ls->set_index, number, &fresh);
	uint32_t i;

	assert(fresh);
	*index = i = (uint32_t)VEC_TAKE(&ls->sets, &ls->free_sets);
	ls->sets.at[i] = (struct lane_set){ .number = number,
					    .resource = resource_of(ls, resource),
					    .flags = flags,
					    .live = true };
	ls->resources.at[ls->sets.at[i].resource].nsets++;
	ls->any_sets = true;
	ls->news++;
}

static struct lane_sets *sets_by(struct lane_resource *r, uint32_t lane)
{
	struct lane_sets *by;

	for (size_t i = 0; i < r->by.n; i++)
		if (r->by.at[i].lane == lane)
			return &r->by.at[i];
	by = VEC_PUSH(&r->by);
	*by = (struct lane_sets){ .lane = lane };
	return by;
}

static void remove_set(struct lane_sets *by, uint32_t i)
{
	size_t k = by->head;

	while (by->sets.at[k] != i)
		k++;
	memmove(by->sets.at + by->head + 1, by->sets.at + by->head,
		(k - by->head) * sizeof(*by->sets.at));
	by->head++;
	QUEUE_COMPACT(&by->sets, by->head);
}

static void drop_set(struct lanes *ls, uint32_t i)
{
	struct lane_set *s = &ls->sets.at[i];
	struct lane_resource *r = &ls->resources.at[s->resource];

	if (s->started)
		remove_set(sets_by(r, s->lane), i);
	if (--r->nsets == 0)
		drop_resource(ls, s->resource);
	map_remove(&ls->set_index, s->number);
	VEC_RELEASE(&s->members);
	s->live = false;
	*VEC_PUSH(&ls->free_sets) = i;
}

/* Complete in every cut: nothing asks for it any more. */
static void drop_if_over(struct lanes *ls, uint32_t i)
{
	struct lane_set *s = &ls->sets.at[i];

	if (!s->live || !s->closed)
		return;
	for (size_t k = 0; k < s->members.n; k++)
		if (ls->at.at[s->members.at[k].lane].first < s->members.at[k].count)
			return;
	drop_set(ls, i);
}

static void add_member(struct lanes *ls, uint32_t i, uint32_t lane, uint32_t count)
{
	struct lane_set *s = &ls->sets.at[i];

	assert(!s->closed);
	for (size_t k = 0; k < s->members.n; k++)
		if (s->members.at[k].lane == lane) {
			s->members.at[k].count = count;
			return;
		}
	/* Packing took it for a set of one lane alone. */
	if (s->members.n && (s->flags & POINT_OWN))
		ls->odd_sets++;
	*VEC_PUSH(&s->members) = (struct point_need){ .lane = lane, .count = count };
}

void lanes_close(struct lanes *ls, uint64_t number)
{
	uint64_t *index = map_get(&ls->set_index, number);
	struct lane_set *s;

	if (!index)
		return;
	s = &ls->sets.at[*index];
	s->closed = true;
	ls->news++;
	/* Packing took it for open until its next member, and there is none. */
	if ((s->flags & POINT_OWN) && s->members.n == 1 && s->members.at[0].count == s->start + 1)
		ls->odd_sets++;
	drop_if_over(ls, (uint32_t)*index);
}

static uint32_t set_find(const struct lanes *ls, uint32_t number)
{
	uint64_t *index = map_get(&ls->set_index, number);

	assert(index);
	return (uint32_t)*index;
}

/* --- points --- */

#define ALIGN8(n) (((n) + 7) & ~(size_t)7)

/* One block for all that has no fixed size. */
static void copy_parts(const struct lanes *ls, struct lane_point *p, const struct point *m)
{
	size_t needs = ALIGN8(m->nneeds * sizeof(*m->needs));
	size_t sets = ALIGN8((size_t)(m->nstarts + m->njoins) * sizeof(uint32_t));
	size_t item = m->item ? ALIGN8(sizeof(*m->item)) : 0;
	size_t writes = m->item ? m->item->nwrites * sizeof(*m->writes) : 0;
	char *block;

	if (!(needs + sets + item))
		return;
	block = mem_alloc(needs + sets + item + writes);
	p->needs = (void *)block;
	p->sets = (void *)(block + needs);
	for (uint32_t i = 0; i < m->nneeds; i++)
		if (m->needs[i].lane != m->lane)
			p->needs[p->nneeds++] = m->needs[i];
	for (uint32_t i = 0; i < m->nstarts; i++)
		p->sets[i] = set_find(ls, m->starts[i]);
	for (uint32_t i = 0; i < m->njoins; i++)
		p->sets[m->nstarts + i] = set_find(ls, m->joins[i]);
	if (!m->item)
		return;
	p->item = (void *)(block + needs + sets);
	p->writes = (void *)(block + needs + sets + item);
	*p->item = *m->item;
	p->item->writes = 0;
	if (writes)
		memcpy(p->writes, m->writes + m->item->writes, writes);
}

void lanes_point(struct lanes *ls, const struct point *m)
{
	struct lane *lane = lanes_reach(ls, m->lane);
	uint32_t index = lane->known;
	struct lane_point *p = VEC_PUSH(&lane->points);

	*p = (struct lane_point){
		.pos = m->pos, .number = ls->arrived++, .nstarts = m->nstarts, .njoins = m->njoins
	};
	copy_parts(ls, p, m);
	lane->known++;
	lane->ended = lane->waits = false;
	for (uint32_t i = 0; i < m->nneeds; i++)
		if (m->needs[i].lane != m->lane &&
		    lanes_reach(ls, m->needs[i].lane)->known < m->needs[i].count)
			ls->odd_needs = true;
	p = &ls->at.at[m->lane].points.at[ls->at.at[m->lane].points.n - 1];
	for (uint32_t i = 0; i < p->nstarts; i++) {
		struct lane_set *s = &ls->sets.at[p->sets[i]];

		assert(!s->started);
		s->started = true;
		s->lane = m->lane;
		s->start = index;
		*VEC_PUSH(&sets_by(&ls->resources.at[s->resource], m->lane)->sets) = p->sets[i];
	}
	for (uint32_t i = 0; i < p->nstarts + p->njoins; i++)
		add_member(ls, p->sets[i], m->lane, index + 1);
	*VEC_PUSH(&ls->order) = m->lane;
	ls->news++;
}

static void forget_first(struct lanes *ls, struct lane *lane)
{
	struct lane_point *p = &lane->points.at[lane->head++];

	lane->first++;
	for (uint32_t i = 0; i < p->nstarts + p->njoins; i++)
		drop_if_over(ls, p->sets[i]);
	mem_free(p->needs);
}

void lanes_forget(struct lanes *ls, const uint32_t *counts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lane *lane = &ls->at.at[i];

		while (lane->first < counts[i])
			forget_first(ls, lane);
		QUEUE_COMPACT(&lane->points, lane->head);
	}
}

uint32_t lanes_order(const struct lanes *ls, uint64_t n)
{
	assert(n >= ls->order_first && n < ls->arrived);
	return ls->order.at[ls->order_head + (n - ls->order_first)];
}

void lanes_forget_order(struct lanes *ls, uint64_t number)
{
	ls->order_head += number - ls->order_first;
	ls->order_first = number;
	QUEUE_COMPACT(&ls->order, ls->order_head);
}

/* --- for tests --- */

static void set_check(const struct lanes *ls, uint32_t i)
{
	const struct lane_set *s = &ls->sets.at[i];
	const uint64_t *index = map_get(&ls->set_index, s->number);

	assert(index && *index == i);
	assert(s->resource < ls->resources.n && ls->resources.at[s->resource].live);
	assert(!s->started || s->start < ls->at.at[s->lane].known);
	for (size_t k = 0; k < s->members.n; k++)
		assert(s->members.at[k].count <= ls->at.at[s->members.at[k].lane].known);
}

static void resource_check(const struct lanes *ls, uint32_t i)
{
	const struct lane_resource *r = &ls->resources.at[i];
	const uint64_t *index = map_get(&ls->resource_index, r->number);
	uint32_t nsets = 0;

	assert(index && *index == i);
	assert(r->bit == LANE_BIT_ODD || !(ls->free_bits >> r->bit & 1));
	for (size_t k = 0; k < ls->sets.n; k++)
		nsets += ls->sets.at[k].live && ls->sets.at[k].resource == i;
	assert(nsets == r->nsets && nsets != 0);
	/* In the order in which the lane started them, which open.c searches. */
	for (size_t b = 0; b < r->by.n; b++)
		for (size_t k = r->by.at[b].head + 1; k < r->by.at[b].sets.n; k++)
			assert(ls->sets.at[r->by.at[b].sets.at[k - 1]].start <=
			       ls->sets.at[r->by.at[b].sets.at[k]].start);
}

void lanes_check(const struct lanes *ls)
{
	assert(ls->arrived - ls->order_first == ls->order.n - ls->order_head);
	for (size_t i = 0; i < ls->at.n; i++)
		assert(ls->at.at[i].known - ls->at.at[i].first ==
		       ls->at.at[i].points.n - ls->at.at[i].head);
	for (uint32_t i = 0; i < ls->sets.n; i++)
		if (ls->sets.at[i].live)
			set_check(ls, i);
	for (uint32_t i = 0; i < ls->resources.n; i++)
		if (ls->resources.at[i].live)
			resource_check(ls, i);
}
