/*
 * Tarjan's strongly connected components, with the stack of calls kept by hand: a chain of a
 * million locks must not overflow ours.
 *
 *	visit(v): index[v] = low[v] = next++; push v
 *		for v -> w: not visited: visit(w), low[v] = min(low[v], low[w])
 *			    on the stack: low[v] = min(low[v], index[w])
 *		low[v] == index[v]: all above v on the stack are one component
 */
#include "predict/lockgraph.h"

#define GONE UINT32_MAX /* as index: its component is complete */

struct tarjan {
	uint32_t *start, *to;  /* edges by source */
	uint32_t *index, *low; /* index: 0 not visited */
	uint32_t *next;	       /* by vertex: its next edge */
	uint32_t visited, ncomponents;
	VEC(uint32_t) stack, calls;
	uint32_t *component;
};

static void enter(struct tarjan *t, uint32_t v)
{
	t->index[v] = t->low[v] = ++t->visited;
	t->next[v] = t->start[v];
	*VEC_PUSH(&t->stack) = v;
	*VEC_PUSH(&t->calls) = v;
}

/* All from v to the top of the stack are one component.  A single one is a circle only if it has
 * an edge to itself. */
static void pop_component(struct tarjan *t, uint32_t v)
{
	bool is_circle = t->stack.at[t->stack.n - 1] != v;
	uint32_t w;

	for (uint32_t i = t->start[v]; !is_circle && i < t->start[v + 1]; i++)
		is_circle = t->to[i] == v;
	t->ncomponents += is_circle;
	do {
		w = t->stack.at[--t->stack.n];
		t->index[w] = GONE;
		t->component[w] = is_circle ? t->ncomponents : 0;
	} while (w != v);
}

static void leave(struct tarjan *t, uint32_t v)
{
	uint32_t caller;

	t->calls.n--;
	if (t->low[v] == t->index[v])
		pop_component(t, v);
	if (t->calls.n == 0)
		return;
	caller = t->calls.at[t->calls.n - 1];
	if (t->low[v] < t->low[caller])
		t->low[caller] = t->low[v];
}

static void visit(struct tarjan *t, uint32_t from)
{
	enter(t, from);
	while (t->calls.n > 0) {
		uint32_t v = t->calls.at[t->calls.n - 1], w;

		if (t->next[v] == t->start[v + 1]) {
			leave(t, v);
			continue;
		}
		w = t->to[t->next[v]++];
		if (t->index[w] == 0)
			enter(t, w);
		else if (t->index[w] != GONE && t->index[w] < t->low[v])
			t->low[v] = t->index[w];
	}
}

uint32_t lockgraph_components(uint32_t n, const struct lockgraph_edge *edges, size_t nedges,
			      uint32_t *component)
{
	struct tarjan t = { .component = component };
	size_t size = ((size_t)n + 1) * sizeof(uint32_t);

	t.start = mem_zalloc(((size_t)n + 2) * sizeof(*t.start));
	t.to = mem_alloc((nedges + 1) * sizeof(*t.to));
	SORT_BY_KEY(t.start, n, i, nedges, edges[i].from, t.to[sort_at] = edges[i].to);
	t.index = mem_zalloc(size);
	t.low = mem_zalloc(size);
	t.next = mem_zalloc(size);
	memset(component, 0, n * sizeof(*component));
	for (uint32_t v = 0; v < n; v++)
		if (t.index[v] == 0 && t.start[v] < t.start[v + 1])
			visit(&t, v);
	MEM_FREE_ALL(t.start, t.to, t.index, t.low, t.next);
	VEC_RELEASE_ALL(&t.stack, &t.calls);
	return t.ncomponents;
}
