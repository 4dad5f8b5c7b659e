/*
 * The partial order of the exact search: for every node a row, the set of nodes before it.
 *
 * The reference model is the transitive closure of the edges.  Rows hold it in full, so that a
 * question is one comparison; a new edge a -> b joins a's row into b's and on along the edges out
 * of b, until nothing changes.  Rows grow along a chain, so what a row knows of another chain is
 * one counter.
 *
 * The trail keeps a row's counters when a level changes it for the first time.
 */
#include "predict/exact_priv.h"

void exact_order_start(struct exact *x)
{
	x->cut_row = x->nrows;
	VEC_RESERVE(&x->rows, (size_t)(x->nrows + 1) * x->width);
	VEC_RESERVE(&x->stamps, x->nrows + 1);
	memset(x->rows.at, 0, (size_t)(x->nrows + 1) * x->width * sizeof(*x->rows.at));
	memset(x->stamps.at, 0, (size_t)(x->nrows + 1) * sizeof(*x->stamps.at));
	x->serial = 0;
	VEC_CLEAR(&x->edges);
	VEC_CLEAR(&x->queue);
	VEC_CLEAR(&x->dirty);
	x->dirty_head = 0;
	VEC_CLEAR(&x->wanted);
	VEC_CLEAR(&x->levels);
	VEC_CLEAR(&x->saves);
	VEC_CLEAR(&x->saved);
	VEC_CLEAR(&x->marks);
	VEC_CLEAR(&x->sets);
	VEC_CLEAR(&x->bans);
	x->fresh = true;
}

void exact_save_row(struct exact *x, uint32_t row)
{
	if (x->stamps.at[row] == x->serial)
		return;
	x->stamps.at[row] = x->serial;
	if (x->levels.n == 0)
		return; /* never undone */
	*VEC_PUSH(&x->saves) = (struct exact_save){ row, x->saved.n };
	VEC_APPEND(&x->saved, exact_row(x, row), x->width);
}

void exact_level_push(struct exact *x)
{
	struct exact_level *l = VEC_PUSH(&x->levels);

	l->saves = x->saves.n;
	l->edges = x->edges.n;
	l->marks = x->marks.n;
	l->sets = x->sets.n;
	l->bans = x->bans.n;
	x->serial++;
}

/* A node must not wait in a queue of the level that is left. */
static void queues_clear(struct exact *x)
{
	for (size_t i = 0; i < x->queue.n; i++)
		x->nodes.at[x->queue.at[i]].todo = 0;
	for (size_t i = 0; i < x->dirty.n; i++)
		x->nodes.at[x->dirty.at[i]].todo = 0;
	VEC_CLEAR(&x->queue);
	VEC_CLEAR(&x->dirty);
	x->dirty_head = 0;
	VEC_CLEAR(&x->wanted);
	for (size_t i = 0; i < x->counters.n; i++)
		x->counters.at[i].dirty = false;
	x->busy_dirty = false;
}

void exact_level_pop(struct exact *x)
{
	struct exact_level l;

	assert(x->levels.n > 0);
	l = x->levels.at[--x->levels.n];
	queues_clear(x);
	while (x->saves.n > l.saves) {
		const struct exact_save *s = &x->saves.at[--x->saves.n];

		memcpy(exact_row(x, s->row), x->saved.at + s->data, x->width * sizeof(exact_count));
		x->saved.n = s->data;
	}
	while (x->edges.n > l.edges) {
		const struct exact_edge *e = &x->edges.at[--x->edges.n];

		x->nodes.at[e->from].edges = e->next;
	}
	while (x->marks.n > l.marks) {
		uint32_t mark = x->marks.at[--x->marks.n];
		struct exact_node *n = &x->nodes.at[mark & ~EXACT_ASKED];

		if (mark & EXACT_ASKED)
			n->asked = false;
		else
			n->needed = false;
	}
	while (x->sets.n > l.sets) {
		const struct exact_set *s = &x->sets.at[--x->sets.n];

		x->touches.at[s->touch].rf = s->rf;
		x->touches.at[s->touch].candidate = s->candidate;
	}
	x->bans.n = l.bans;
	/* Rows that the level above saved must be saved anew by the one that comes next; those
	 * saved twice are restored twice, the older counters last. */
	x->serial++;
}

void exact_mark_dirty(struct exact *x, uint32_t node, uint8_t why)
{
	struct exact_node *v = &x->nodes.at[node];

	if (!(v->todo & (EXACT_DIRTY | EXACT_PIN)))
		*VEC_PUSH(&x->dirty) = node;
	v->todo |= why;
}

void exact_set_rf(struct exact *x, uint32_t touch, uint32_t rf, uint32_t candidate)
{
	struct exact_touch *t = &x->touches.at[touch];

	*VEC_PUSH(&x->sets) = (struct exact_set){ touch, t->rf, t->candidate };
	t->rf = rf;
	t->candidate = candidate;
}

/* b's row takes in a's.  False: b is before a. */
static bool join(struct exact *x, uint32_t a, uint32_t b)
{
	const exact_count *from = exact_row(x, a);
	exact_count *into = exact_row(x, b);

	x->steps++;
	if (from[x->nodes.at[b].chain] > exact_index(x, b))
		return false;
	if (exact_row_leq(x, from, into))
		return true;
	exact_save_row(x, b);
	for (uint32_t i = 0; i < x->width; i += EXACT_LANES)
		for (uint32_t j = 0; j < EXACT_LANES; j++)
			into[i + j] = into[i + j] > from[i + j] ? into[i + j] : from[i + j];
	if (!(x->nodes.at[b].todo & EXACT_QUEUED)) {
		x->nodes.at[b].todo |= EXACT_QUEUED;
		*VEC_PUSH(&x->queue) = b;
	}
	exact_mark_dirty(x, b, EXACT_DIRTY);
	return true;
}

bool exact_edge(struct exact *x, uint32_t a, uint32_t b)
{
	struct exact_edge *e;

	if (a == b)
		return false;
	if (exact_leq(x, a, b))
		return true;
	e = VEC_PUSH(&x->edges);
	*e = (struct exact_edge){ a, b, x->nodes.at[a].edges };
	x->nodes.at[a].edges = (uint32_t)(x->edges.n - 1);
	return join(x, a, b);
}

/*
 * A circle is found: some node's row takes in the node itself along the circle, and the next join
 * on the way back to it refuses.
 */
bool exact_propagate(struct exact *x)
{
	for (size_t i = 0; i < x->queue.n; i++) {
		uint32_t v = x->queue.at[i];
		const struct exact_node *n = &x->nodes.at[v];

		x->nodes.at[v].todo &= (uint8_t)~EXACT_QUEUED;
		if (exact_index(x, v) + 1 < exact_cut(x)[n->chain] && !join(x, v, v + 1))
			return false;
		for (uint32_t e = n->edges; e != EXACT_NONE; e = x->edges.at[e].next)
			if (!join(x, v, x->edges.at[e].to))
				return false;
	}
	VEC_CLEAR(&x->queue);
	return true;
}
