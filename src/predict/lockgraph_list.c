/*
 * What a graph is looked up by: requests by place, and who provides each resource.
 */
#include <string.h>

#include "base/vec.h"
#include "predict/lockgraph_priv.h"

static void list_places(struct lockgraph *g)
{
	MEM_FREE_ALL(g->place_start, g->by_place);
	g->place_start = mem_zalloc(((size_t)g->nplaces + 2) * sizeof(*g->place_start));
	g->by_place = mem_alloc(((size_t)g->nrequests + 1) * sizeof(*g->by_place));
	for (uint32_t i = 0; i < g->nrequests; i++)
		g->place_start[g->requests[i].place + 2]++;
	for (uint32_t p = 2; p <= g->nplaces + 1; p++)
		g->place_start[p] += g->place_start[p - 1];
	for (uint32_t i = 0; i < g->nrequests; i++)
		g->by_place[g->place_start[g->requests[i].place + 1]++] = i;
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

/* One pass of a radix sort; it keeps the order of equal ones.  start: room for nkeys + 2. */
static void sort_by(enum lockgraph_key by, uint32_t nkeys, const struct lockgraph_provider *from,
		    size_t n, struct lockgraph_provider *to, uint32_t *start)
{
	memset(start, 0, ((size_t)nkeys + 2) * sizeof(*start));
	for (size_t i = 0; i < n; i++)
		start[lockgraph_key_of(&from[i], by) + 2]++;
	for (uint32_t k = 2; k <= nkeys + 1; k++)
		start[k] += start[k - 1];
	for (size_t i = 0; i < n; i++)
		to[start[lockgraph_key_of(&from[i], by) + 1]++] = from[i];
}

/* In the order that lookups want. */
static void sort_providers(struct lockgraph *g)
{
	uint32_t most = g->nplaces > g->nresources ? g->nplaces : g->nresources;
	struct lockgraph_provider *from = g->providers,
				  *to = mem_alloc(((size_t)g->nproviders + 1) * sizeof(*to));

	mem_free(g->resource_start);
	g->resource_start = mem_alloc(((size_t)most + 2) * sizeof(*g->resource_start));
	sort_by(LOCKGRAPH_BY_WANTS, g->nresources, from, g->nproviders, to, g->resource_start);
	sort_by(LOCKGRAPH_BY_PLACE, g->nplaces, to, g->nproviders, from, g->resource_start);
	sort_by(LOCKGRAPH_BY_RESOURCE, g->nresources, from, g->nproviders, to, g->resource_start);
	mem_free(from);
	g->providers = to;
}

static void list_providers(struct lockgraph *g, const struct lockgraph_circles *c)
{
	providers list = { 0 };

	for (uint32_t i = 0; i < g->nrequests; i++)
		list_provided(g, c, i, &list);
	VEC_RESERVE(&list, list.n + 1);
	g->providers = list.at;
	g->nproviders = (uint32_t)list.n;
	sort_providers(g);
}

void lockgraph_list(struct lockgraph *g, const struct lockgraph_circles *c)
{
	list_places(g);
	list_providers(g, c);
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
