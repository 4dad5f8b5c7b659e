/*
 * Questions to a graph that is made.
 */
#include "base/mem.h"
#include "base/search.h"
#include "predict/lockgraph_priv.h"

/* The first provider in [low, high) whose key is not below. */
static uint32_t lower_bound(const struct lockgraph_provider *at, uint32_t low, uint32_t high,
			    enum lockgraph_key by, uint32_t key)
{
	return SEARCH_PAST(i, low, high, lockgraph_key_of(&at[i], by) < key);
}

struct lockgraph_range lockgraph_providers(const struct lockgraph *g, uint32_t resource,
					   uint32_t place)
{
	uint32_t low = g->resource_start[resource], high = g->resource_start[resource + 1];
	uint32_t first = lower_bound(g->providers, low, high, LOCKGRAPH_BY_PLACE, place);
	uint32_t end = lower_bound(g->providers, first, high, LOCKGRAPH_BY_PLACE, place + 1);

	return (struct lockgraph_range){ g->providers + first, end - first };
}

struct lockgraph_range lockgraph_wanting(struct lockgraph_range r, uint32_t wants)
{
	uint32_t first = lower_bound(r.at, 0, r.n, LOCKGRAPH_BY_WANTS, wants), end = first;

	while (end < r.n && r.at[end].wants == wants)
		end++;
	return (struct lockgraph_range){ r.at + first, end - first };
}

bool lockgraph_waits(const struct lockgraph *g, uint32_t a, uint32_t b)
{
	const struct lockgraph_request *x = &g->requests[a], *y = &g->requests[b];
	struct model_list held = model_set(g->m, y->set);

	if (x->tid == y->tid)
		return false;
	if (x->wants >= g->m->nlocks)
		return x->wants == lockgraph_thread(g, y->tid);
	for (uint32_t i = 0; i < held.n; i++)
		if (held.at[i] >> 1 == x->wants && !(x->shared && (held.at[i] & 1)))
			return true;
	return false;
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
	mem_free(wanted);
	mem_free(met);
	return sum;
}
