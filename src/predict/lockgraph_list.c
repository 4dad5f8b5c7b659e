/*
 * What a graph is looked up by, requests by place, and who provides each resource; and questions to it.
 */
#include "predict/lockgraph.h"

static void list_places(struct lockgraph *g)
{
	MEM_FREE_ALL(g->place_start, g->by_place);
	g->place_start = mem_zalloc(((size_t)g->nplaces + 2) * sizeof(*g->place_start));
	g->by_place = mem_alloc(((size_t)g->nrequests + 1) * sizeof(*g->by_place));
	SORT_BY_KEY(g->place_start, g->nplaces, i, g->nrequests, g->requests[i].place,
		    g->by_place[sort_at] = (uint32_t)i);
}

typedef VEC(struct lockgraph_provider) providers;

static void list_provided(struct lockgraph *g, const struct lockgraph_circles *c, uint32_t request,
			  providers *out)
{
	const struct lockgraph_request *r = &g->requests[request];
	struct model_list held = model_set(g->m, r->set);
	struct lockgraph_provider p = { .place = r->place, .wants = r->wants, .request = request };

	for (uint32_t i = 0; i < held.n; i++) {
		p.resource = held.at[i] >> 1;
		p.shared = held.at[i] & 1;
		if (c->component[p.resource] != c->component[r->wants])
			continue;
		g->has_readers |= p.shared;
		*VEC_PUSH(out) = p;
	}
	if (!lockgraph_provides_itself(c, r->tid, r->wants))
		return;
	p.resource = lockgraph_thread(g, r->tid);
	p.shared = false;
	*VEC_PUSH(out) = p;
}

/* In the order that lookups want: a radix sort, each pass of which keeps the order of equal ones. */
static void sort_providers(struct lockgraph *g)
{
	uint32_t most = g->nplaces > g->nresources ? g->nplaces : g->nresources, n = g->nproviders;
	size_t size = ((size_t)most + 2) * sizeof(*g->resource_start);
	struct lockgraph_provider *a = g->providers, *b = mem_alloc(((size_t)n + 1) * sizeof(*b));
	uint32_t *start = mem_zalloc(size);

	SORT_BY_KEY(start, g->nresources, i, n, a[i].wants, b[sort_at] = a[i]);
	memset(start, 0, size);
	SORT_BY_KEY(start, g->nplaces, i, n, b[i].place, a[sort_at] = b[i]);
	memset(start, 0, size);
	SORT_BY_KEY(start, g->nresources, i, n, a[i].resource, b[sort_at] = a[i]);
	MEM_FREE_ALL(a, g->resource_start);
	g->providers = b;
	g->resource_start = start;
}

void lockgraph_list(struct lockgraph *g, const struct lockgraph_circles *c)
{
	providers list = { 0 };

	list_places(g);
	for (uint32_t i = 0; i < g->nrequests; i++)
		list_provided(g, c, i, &list);
	VEC_RESERVE(&list, list.n + 1);
	g->providers = list.at;
	g->nproviders = (uint32_t)list.n;
	sort_providers(g);
}

void lockgraph_coarsen(struct lockgraph *g)
{
	for (uint32_t i = 0; i < g->nrequests; i++)
		g->requests[i].place = 0;
	for (uint32_t i = 0; i < g->nproviders; i++)
		g->providers[i].place = 0;
	g->nplaces = g->nrequests > 0;
	g->is_coarse = true;
	list_places(g);
	sort_providers(g);
}

/* ---- questions ---- */

struct lockgraph_range lockgraph_providers(const struct lockgraph *g, uint32_t resource,
					   uint32_t place)
{
	const struct lockgraph_provider *at = g->providers;
	uint32_t low = g->resource_start[resource], high = g->resource_start[resource + 1];
	uint32_t first = SEARCH_PAST(i, low, high, at[i].place < place);
	uint32_t end = SEARCH_PAST(i, first, high, at[i].place <= place);

	return (struct lockgraph_range){ at + first, end - first };
}

struct lockgraph_range lockgraph_wanting(struct lockgraph_range r, uint32_t wants)
{
	uint32_t first = SEARCH_PAST(i, 0, r.n, r.at[i].wants < wants);
	uint32_t end = SEARCH_PAST(i, first, r.n, r.at[i].wants <= wants);

	return (struct lockgraph_range){ r.at + first, end - first };
}

bool lockgraph_waits(const struct lockgraph *g, uint32_t a, uint32_t b)
{
	const struct lockgraph_request *x = &g->requests[a], *y = &g->requests[b];

	if (x->tid == y->tid)
		return false;
	if (x->wants >= g->m->nlocks)
		return x->wants == lockgraph_thread(g, y->tid);
	return model_set_excludes(g->m, y->set, x->wants, x->shared);
}

/* Places that provide each resource, and places that want it. */
uint64_t lockgraph_place_edges(const struct lockgraph *g)
{
	uint32_t *wanted = mem_zalloc(((size_t)g->nresources + 1) * sizeof(*wanted));
	uint32_t *met = mem_zalloc(((size_t)g->nresources + 1) * sizeof(*met));
	uint64_t sum = 0;

	for (uint32_t p = 0; p < g->nplaces; p++) {
		for (uint32_t i = g->place_start[p]; i < g->place_start[p + 1]; i++) {
			uint32_t resource = g->requests[g->by_place[i]].wants;

			wanted[resource] += met[resource] != p + 1;
			met[resource] = p + 1;
		}
	}
	for (uint32_t i = 0; i < g->nproviders; i++) {
		const struct lockgraph_provider *x = &g->providers[i];

		if (i == 0 || x[-1].resource != x->resource || x[-1].place != x->place)
			sum += wanted[x->resource];
	}
	MEM_FREE_ALL(wanted, met);
	return sum;
}
