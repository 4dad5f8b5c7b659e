/*
 * Circles of places: closed walks of n steps in the graph of places, each once.
 *
 * A walk begins at its lowest place and is the least of its rotations.  Dead ends are known before
 * they are entered: distance[q] is how many steps it takes from q back to the first place.
 *
 * An edge of places says that some request there wants something that some request here provides;
 * whether any two of them can meet is left to patterns.c.
 */
#include "predict/patterns_priv.h"

#include "predict/engine.h"

#define FAR UINT32_MAX

/* Places that provide the resource, added to the list of p unless it has them. */
static bool add_targets(struct patterns *p, uint32_t resource, uint32_t mark, uint32_t *marked,
			size_t *room, size_t *n)
{
	const struct lockgraph *g = p->g;
	uint32_t i = g->resource_start[resource], end = g->resource_start[resource + 1];

	while (i < end) {
		uint32_t place = g->providers[i].place;

		if (!patterns_spend(p, 1))
			return false;
		if (marked[place] != mark) {
			marked[place] = mark;
			p->next = mem_grow(p->next, room, *n + 1, sizeof(*p->next));
			p->next[(*n)++] = place;
		}
		i += lockgraph_providers(g, resource, place).n;
	}
	return true;
}

/* p->next: the edges by their source. */
static void find_edges(struct patterns *p)
{
	const struct lockgraph *g = p->g;
	uint32_t *met = mem_zalloc(((size_t)g->nresources + 1) * sizeof(*met));
	uint32_t *marked = mem_zalloc(((size_t)g->nplaces + 1) * sizeof(*marked));
	size_t room = 0, n = 0;

	p->next_start = mem_zalloc(((size_t)g->nplaces + 1) * sizeof(*p->next_start));
	for (uint32_t place = 0; place < g->nplaces; place++) {
		for (uint32_t i = g->place_start[place]; i < g->place_start[place + 1]; i++) {
			uint32_t wants = g->requests[g->by_place[i]].wants;

			if (met[wants] == place + 1)
				continue;
			met[wants] = place + 1;
			if (!add_targets(p, wants, place + 1, marked, &room, &n))
				break;
		}
		p->next_start[place + 1] = (uint32_t)n;
	}
	MEM_FREE_ALL(met, marked);
}

static void reverse_edges(struct patterns *p)
{
	uint32_t n = p->g->nplaces;

	p->prev_start = mem_zalloc(((size_t)n + 2) * sizeof(*p->prev_start));
	p->prev = mem_alloc(((size_t)p->next_start[n] + 1) * sizeof(*p->prev));
	for (uint32_t i = 0; i < p->next_start[n]; i++)
		p->prev_start[p->next[i] + 2]++;
	for (uint32_t q = 2; q <= n + 1; q++)
		p->prev_start[q] += p->prev_start[q - 1];
	for (uint32_t place = 0; place < n; place++)
		for (uint32_t i = p->next_start[place]; i < p->next_start[place + 1]; i++)
			p->prev[p->prev_start[p->next[i] + 1]++] = place;
}

void patterns_places_init(struct patterns *p)
{
	const struct lockgraph *g = p->g;

	p->distance = mem_alloc(((size_t)g->nplaces + 1) * sizeof(*p->distance));
	for (uint32_t i = 0; i < g->nplaces; i++)
		p->distance[i] = FAR;
	find_edges(p);
	reverse_edges(p);
}

/* Takes in the places, none below `first', from which one step leads to q. */
static void step_back(struct patterns *p, uint32_t first, uint32_t q, uint32_t distance)
{
	for (uint32_t i = p->prev_start[q]; i < p->prev_start[q + 1]; i++) {
		uint32_t place = p->prev[i];

		if (place < first || p->distance[place] != FAR)
			continue;
		p->distance[place] = distance;
		*VEC_PUSH(&p->queue) = place;
	}
	patterns_spend(p, p->prev_start[q + 1] - p->prev_start[q]);
}

static void find_distances(struct patterns *p, uint32_t first)
{
	step_back(p, first, first, 1);
	for (size_t i = 0; i < p->queue.n; i++)
		if (p->distance[p->queue.at[i]] < p->n)
			step_back(p, first, p->queue.at[i], p->distance[p->queue.at[i]] + 1);
}

/* No rotation of the circle is less; finds its period. */
static bool is_least(struct patterns *p)
{
	for (uint32_t turn = 1; turn < p->n; turn++) {
		uint32_t i = 0;

		while (i < p->n && p->places[(i + turn) % p->n] == p->places[i])
			i++;
		if (i == p->n) {
			p->period = turn;
			return true;
		}
		if (p->places[(i + turn) % p->n] < p->places[i])
			return false;
	}
	p->period = p->n;
	return true;
}

static bool goes_on(const struct patterns *p)
{
	return p->left > 0 && !engine_stopped(p->opt);
}

static void take_circle(struct patterns *p)
{
	if (!is_least(p) || !p->visitor->begin(p->visitor->arg, p->places, p->n))
		return;
	/* A quarter of what is left, so that one circle does not starve the others. */
	p->reserve = p->left - p->left / 4;
	patterns_circle(p);
	p->reserve = 0;
}

static void walk_on(struct patterns *p, uint32_t depth)
{
	uint32_t from = p->places[depth - 1];

	if (depth == p->n) {
		take_circle(p);
		return;
	}
	for (uint32_t i = p->next_start[from]; i < p->next_start[from + 1] && goes_on(p); i++) {
		uint32_t q = p->next[i];

		patterns_spend(p, 1);
		/* FAR also says that q lies below the first place. */
		if (p->distance[q] > p->n - depth)
			continue;
		p->places[depth] = q;
		walk_on(p, depth + 1);
	}
}

void patterns_places_walk(struct patterns *p, uint32_t n)
{
	p->n = n;
	for (uint32_t first = 0; first < p->g->nplaces && goes_on(p); first++) {
		find_distances(p, first);
		p->places[0] = first;
		if (p->distance[first] <= n)
			walk_on(p, 1);
		while (p->queue.n > 0)
			p->distance[p->queue.at[--p->queue.n]] = FAR;
	}
}
