/*
 * The universe as the rules want it: nodes chain by chain, the writes of each cell and the
 * sections of each lock in groups by chain.
 */
#include "predict/exact_priv.h"

uint32_t exact_node_of(const struct exact *x, uint32_t id, bool *before)
{
	const struct model_event *e = &x->m->event[id];

	*before = e->index < x->lo[e->chain];
	if (*before || e->index >= x->top[e->chain])
		return EXACT_NONE;
	return x->offset.at[x->local_chain[e->chain]] + (e->index - x->lo[e->chain]);
}

static void build_nodes(struct exact *x)
{
	VEC_CLEAR(&x->chain);
	VEC_CLEAR(&x->offset);
	VEC_CLEAR(&x->nodes);
	for (uint32_t c = 0; c < x->m->nchains; c++) {
		struct model_list list = model_chain(x->m, c);
		uint32_t k = (uint32_t)x->chain.n;

		x->local_chain[c] = EXACT_NONE;
		if (x->top[c] <= x->lo[c])
			continue;
		x->local_chain[c] = k;
		*VEC_PUSH(&x->chain) = c;
		*VEC_PUSH(&x->offset) = (uint32_t)x->nodes.n;
		for (uint32_t i = x->lo[c]; i < x->top[c]; i++)
			*VEC_PUSH(&x->nodes) = (struct exact_node){ .id = list.at[i],
								    .section = EXACT_NONE,
								    .counter = EXACT_NONE,
								    .edges = EXACT_NONE,
								    .chain = (uint16_t)k };
	}
	*VEC_PUSH(&x->offset) = (uint32_t)x->nodes.n;
	x->nchains = (uint32_t)x->chain.n;
	x->width = (x->nchains + EXACT_LANES - 1) / EXACT_LANES * EXACT_LANES;
	VEC_RESERVE(&x->nodes, x->nodes.n + 1);
	x->nodes.at[x->nodes.n] = (struct exact_node){ .section = EXACT_NONE,
						       .counter = EXACT_NONE,
						       .edges = EXACT_NONE };
	VEC_RESERVE(&x->goal, x->width);
	VEC_RESERVE(&x->done, x->width);
	VEC_RESERVE(&x->wrong, x->nodes.n + 1);
}

uint32_t exact_build_cell(struct exact *x, uint32_t cell)
{
	uint32_t *local = &x->local_cell[cell];

	if (*local == EXACT_NONE) {
		*local = (uint32_t)x->cells.n;
		*VEC_PUSH(&x->cells) = (struct exact_cell){ .cell = cell };
	}
	return *local;
}

static void build_touches(struct exact *x)
{
	const struct model *m = x->m;

	for (size_t i = 0; i < x->cells.n; i++)
		x->local_cell[x->cells.at[i].cell] = EXACT_NONE;
	VEC_CLEAR(&x->cells);
	VEC_CLEAR(&x->touches);
	for (uint32_t v = 0; v < x->nodes.n; v++) {
		uint32_t id = x->nodes.at[v].id;
		const struct model_event *e = &m->event[id];
		bool reads = model_reads(e), writes = model_writes(e);
		bool tested = reads && x->loose && model_tests_of(m, id).n > 0;

		x->nodes.at[v].touch = (uint32_t)x->touches.n;
		for (uint32_t i = 0; (reads || writes) && i < model_ntouches(m, id); i++)
			*VEC_PUSH(&x->touches) = (struct exact_touch){
				.cell = exact_build_cell(x, m->touches[e->touch + i].cell),
				.node = v,
				.rf = m->touches[e->touch + i].seen, /* an id until set_rf */
				.reads = reads,
				.writes = writes,
				.tested = tested,
			};
		exact_stays_add(x, v);
	}
	x->nodes.at[x->nodes.n].touch = (uint32_t)x->touches.n;
}

void exact_build_group(struct exact *x, uint32_t first, uint32_t j, uint32_t chain)
{
	if (j == first || x->groups.at[x->groups.n - 1].chain != chain)
		*VEC_PUSH(&x->groups) = (struct exact_group){ chain, j, j };
	x->groups.at[x->groups.n - 1].end = j + 1;
}

/* The writes in order of their cells, and a group for each cell and chain. */
static void build_writes(struct exact *x)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < x->cells.n; i++)
		x->cells.at[i].first = 0;
	for (size_t i = 0; i < x->touches.n; i++)
		x->cells.at[x->touches.at[i].cell].first += x->touches.at[i].writes;
	for (size_t i = 0; i < x->cells.n; i++) {
		uint32_t n = x->cells.at[i].first;

		x->cells.at[i].first = x->cells.at[i].end = sum;
		sum += n;
	}
	VEC_RESERVE(&x->writes, sum + 1);
	x->writes.n = sum;
	for (uint32_t i = 0; i < x->touches.n; i++)
		if (x->touches.at[i].writes)
			x->writes.at[x->cells.at[x->touches.at[i].cell].end++] = i;
	for (size_t i = 0; i < x->cells.n; i++) {
		struct exact_cell *c = &x->cells.at[i];
		uint32_t first = c->first, end = c->end;

		c->first = (uint32_t)x->groups.n;
		for (uint32_t j = first; j < end; j++)
			exact_build_group(x, first, j,
					  x->nodes.at[x->touches.at[x->writes.at[j]].node].chain);
		c->end = (uint32_t)x->groups.n;
	}
}

/* The touch of a cell by the write at `node'. */
static uint32_t write_touch(const struct exact *x, uint32_t cell, uint32_t node)
{
	const struct exact_cell *c = &x->cells.at[cell];

	uint32_t end, found;

	if (c->first == c->end)
		return EXACT_NONE;
	end = x->groups.at[c->end - 1].end;
	found = SEARCH_PAST(i, x->groups.at[c->first].first, end,
			    x->touches.at[x->writes.at[i]].node < node);
	return found < end && x->touches.at[x->writes.at[found]].node == node ? x->writes.at[found]
									      : EXACT_NONE;
}

/* From the event seen to the touch, or what stands in for one. */
static uint32_t seen_touch(const struct exact *x, uint32_t cell, uint32_t seen)
{
	bool before;
	uint32_t v, t;

	if (seen == 0)
		return EXACT_START;
	v = exact_node_of(x, seen, &before);
	if (before)
		return EXACT_START;
	if (v == EXACT_NONE)
		return EXACT_OUTSIDE;
	t = write_touch(x, cell, v);
	assert(t != EXACT_NONE);
	return t;
}

static void set_rf(struct exact *x)
{
	uint32_t row = (uint32_t)x->nodes.n;

	for (size_t i = 0; i < x->touches.n; i++) {
		struct exact_touch *t = &x->touches.at[i];
		uint16_t flags = x->m->event[x->nodes.at[t->node].id].flags;

		if (t->writes)
			t->row = row++;
		if (t->reads)
			t->rf = flags & STEP_TAINTED && !t->stays ? EXACT_OUTSIDE
								  : seen_touch(x, t->cell, t->rf);
		t->own = t->rf;
	}
	for (size_t i = 0; i < x->cells.n; i++)
		x->cells.at[i].row = row++;
	x->nrows = row;
}

static void add_section(struct exact *x, const struct exact_open *o)
{
	const struct model_event *e = &x->m->event[o->acquire];
	uint32_t lock = x->local_lock[e->obj], s = (uint32_t)x->sections.n;
	struct exact_section n = { .lock = lock,
				   .chain = x->local_chain[e->chain],
				   .acquire = EXACT_NONE,
				   .release = EXACT_NONE,
				   .shared = e->op == STEP_RACQ,
				   .clipped = o->clipped };
	bool before;

	if (lock == EXACT_NONE)
		return; /* held from before the start, and nobody asks for it */
	if (!o->never)
		n.release = exact_node_of(x, e->partner, &before);
	if (o->before && n.release == EXACT_NONE) {
		struct exact_lock *l = &x->locks.at[lock];

		l->taken |= !n.shared;
		l->taken_shared |= n.shared;
		l->taken_clipped |= n.clipped;
		return;
	}
	if (!o->before)
		n.acquire = exact_node_of(x, o->acquire, &before);
	if (n.acquire != EXACT_NONE)
		x->nodes.at[n.acquire].section = s;
	if (n.release != EXACT_NONE)
		x->nodes.at[n.release].section = s;
	*VEC_PUSH(&x->sections) = n;
}

static int compare_open(const void *a, const void *b)
{
	const struct exact_open *p = a, *q = b;

	return SORT_ORDER(p->chain, q->chain) ?: SORT_ORDER(p->acquire, q->acquire);
}

/* By lock, then chain and acquire. */
static void build_sections(struct exact *x)
{
	uint32_t sum = 0;

	VEC_CLEAR(&x->sections);
	for (size_t i = 0; i < x->locks.n; i++)
		x->locks.at[i] =
			(struct exact_lock){ .lock = x->locks.at[i].lock, .forever = EXACT_NONE };
	SORT_VEC(&x->open, compare_open);
	for (size_t i = 0; i < x->open.n; i++)
		add_section(x, &x->open.at[i]);
	for (size_t i = 0; i < x->sections.n; i++)
		x->locks.at[x->sections.at[i].lock].end++;
	for (size_t i = 0; i < x->locks.n; i++) {
		struct exact_lock *l = &x->locks.at[i];

		l->first = sum;
		sum += l->end;
		l->end = l->first;
	}
	VEC_RESERVE(&x->by_lock, sum + 1);
	VEC_RESERVE(&x->forever_next, sum + 1);
	for (uint32_t i = 0; i < x->sections.n; i++) {
		struct exact_lock *l = &x->locks.at[x->sections.at[i].lock];

		x->by_lock.at[l->end++] = i;
		if (x->sections.at[i].release == EXACT_NONE) {
			x->forever_next.at[i] = l->forever;
			l->forever = i;
		}
	}
}

static void group_sections(struct exact *x)
{
	for (size_t i = 0; i < x->locks.n; i++) {
		struct exact_lock *l = &x->locks.at[i];
		uint32_t first = l->first, end = l->end;

		l->first = (uint32_t)x->groups.n;
		for (uint32_t j = first; j < end; j++)
			exact_build_group(x, first, j, x->sections.at[x->by_lock.at[j]].chain);
		l->end = (uint32_t)x->groups.n;
	}
}

static void build_guards(struct exact *x)
{
	const struct model *m = x->m;

	VEC_CLEAR(&x->guards);
	if (m->nguards == 0)
		return;
	for (uint32_t v = 0; v < x->nodes.n; v++) {
		uint32_t id = x->nodes.at[v].id, g;

		if (!(m->event[id].flags & MODEL_HAS_GUARDS))
			continue;
		g = SEARCH_PAST(i, 0, m->nguards, m->guards[x->guard_from[i]].from < id);
		/* What pairs say is counted here. */
		for (; g < m->nguards && m->guards[x->guard_from[g]].from == id; g++)
			if (!m->guards[x->guard_from[g]].paired)
				*VEC_PUSH(&x->guards) = x->guard_from[g];
	}
}

void exact_build(struct exact *x)
{
	VEC_CLEAR(&x->groups);
	build_nodes(x);
	exact_stays_find(x);
	build_touches(x);
	build_writes(x);
	set_rf(x);
	VEC_CLEAR(&x->candidates);
	if (x->choosing || x->loose)
		exact_find_candidates(x);
	build_sections(x);
	group_sections(x);
	exact_build_counters(x);
	build_guards(x);
}
