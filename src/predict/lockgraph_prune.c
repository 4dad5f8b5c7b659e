/*
 * Requests that what is held keeps apart from all others.
 *
 *	W(r) = locks held at every request that wants r
 *	P(r) = locks held at every request that provides r
 *
 *	T1   lock gate, lock a, lock b		W(b) = {gate, a}   P(b) = {gate, b}
 *	T2   lock gate, lock b, lock a		W(a) = {gate, b}   P(a) = {gate, a}
 *
 * A request whose held set excludes P of what it wants waits for nobody, and nobody waits for one
 * that excludes W of what it provides.  The same goes where one thread alone wants and provides.
 * Without those there are fewer circles, and so again fewer requests on them, whose W and P may be
 * larger.
 *
 * Nothing is lost: no two requests of a pattern exclude each other.  It costs a look at each
 * request and what it holds for each round, where the walk over patterns would look at pairs.
 * Who holds thousands of locks provides all of them, each with all of them in P: so there is an
 * end to looking, and whoever was not looked at stays.
 */

#include "predict/lockgraph.h"

#define ROUNDS 8u
#define STEPS 300000000u /* keys looked at */
#define SOME_TIDS UINT32_MAX

/* What all of several requests hold: keys as in model_set, the mode a read if any of them reads. */
struct common {
	uint32_t first, n; /* in keys */
	uint32_t tid;	   /* of all of them; SOME_TIDS: they differ; 0: there are none yet */
};

struct prune {
	const struct lockgraph_circles *g;
	bool *keep;
	uint64_t left;			    /* steps */
	struct common *wanting, *providing; /* by resource */
	VEC(uint32_t) keys;
	VEC(struct lockgraph_edge) edges;
};

/* False: there are no more steps. */
static bool spend(struct prune *p, uint64_t steps)
{
	p->left -= steps < p->left ? steps : p->left;
	return p->left > 0;
}

static void common_begin(struct prune *p, struct common *c, struct model_list set)
{
	c->first = (uint32_t)p->keys.n;
	c->n = set.n;
	VEC_RESERVE(&p->keys, p->keys.n + set.n + 1);
	VEC_APPEND(&p->keys, set.at, set.n);
}

static void common_meet(struct prune *p, struct common *c, struct model_list set)
{
	uint32_t *keys = p->keys.at + c->first, n = 0;

	assert(p->keys.at); /* c has some */
	for (uint32_t i = 0, j = 0; i < c->n && j < set.n;) {
		if (keys[i] >> 1 == set.at[j] >> 1)
			keys[n++] = keys[i++] | set.at[j++];
		else if (keys[i] < set.at[j])
			i++;
		else
			j++;
	}
	c->n = n;
}

static void common_add(struct prune *p, struct common *c, const struct lockgraph_request *r)
{
	struct model_list set = model_set(p->g->m, r->set);

	/* With nothing in common nobody is excluded. */
	if (c->tid == 0 || c->n != 0) {
		if (!spend(p, set.n + c->n))
			c->n = 0;
		else if (c->tid == 0)
			common_begin(p, c, set);
		else
			common_meet(p, c, set);
	}
	c->tid = c->tid == 0 || c->tid == r->tid + 1 ? r->tid + 1 : SOME_TIDS;
}

/* The request cannot meet any of those. */
static bool excludes(struct prune *p, const struct lockgraph_request *r, const struct common *c)
{
	struct model_list keys = { p->keys.at + c->first, c->n }, set = model_set(p->g->m, r->set);

	return c->tid == 0 || c->tid == r->tid + 1 ||
	       (c->n != 0 && spend(p, set.n + c->n) && !model_keys_disjoint(set, keys));
}

/* What the request provides on the circles of what it wants: the i-th, from *i on.  False: no more. */
static bool provided_next(const struct prune *p, const struct lockgraph_request *r, uint32_t *i,
			  uint32_t *resource)
{
	const struct lockgraph_circles *g = p->g;
	struct model_list set = model_set(g->m, r->set);

	for (; *i < set.n; ++*i) {
		*resource = set.at[*i] >> 1;
		if (g->component[*resource] == g->component[r->wants]) {
			++*i;
			return true;
		}
	}
	*resource = g->m->nlocks + r->tid;
	return (*i)++ == set.n && lockgraph_provides_itself(g, r->tid, r->wants);
}

/* W and P of all resources.  Returns how much is provided. */
static uint64_t find_commons(struct prune *p)
{
	size_t size = ((size_t)p->g->nresources + 1) * sizeof(struct common);
	uint64_t n = 0;

	memset(p->wanting, 0, size);
	memset(p->providing, 0, size);
	VEC_CLEAR(&p->keys);
	for (uint32_t i = 0; i < p->g->nrequests; i++) {
		const struct lockgraph_request *r = &p->g->requests[i];

		if (!p->keep[i])
			continue;
		common_add(p, &p->wanting[r->wants], r);
		for (uint32_t k = 0, resource; provided_next(p, r, &k, &resource); n++)
			common_add(p, &p->providing[resource], r);
	}
	return n;
}

/* Who can meet somebody, by the present W and P.  Returns how much of what is provided is left. */
static uint64_t find_edges(struct prune *p)
{
	VEC_CLEAR(&p->edges);
	for (uint32_t i = 0; i < p->g->nrequests; i++) {
		const struct lockgraph_request *r = &p->g->requests[i];
		size_t before = p->edges.n;

		if (!p->keep[i] || excludes(p, r, &p->providing[r->wants])) {
			p->keep[i] = false;
			continue;
		}
		for (uint32_t k = 0, resource; provided_next(p, r, &k, &resource);)
			if (!excludes(p, r, &p->wanting[resource]))
				*VEC_PUSH(&p->edges) =
					(struct lockgraph_edge){ resource, r->wants };
		p->keep[i] = p->edges.n > before;
	}
	return p->edges.n;
}

/* With fewer edges there are fewer circles. */
static void find_circles(struct prune *p)
{
	const struct lockgraph_circles *g = p->g;

	lockgraph_components(g->nresources, p->edges.at, p->edges.n, g->component);
	for (uint32_t i = 0; i < g->nrequests; i++) {
		const struct lockgraph_request *r = &g->requests[i];
		bool stays = false;

		if (!p->keep[i] || g->component[r->wants] == 0) {
			p->keep[i] = false;
			continue;
		}
		for (uint32_t k = 0, resource; provided_next(p, r, &k, &resource);)
			stays |= !excludes(p, r, &p->wanting[resource]);
		p->keep[i] = stays;
	}
}

void lockgraph_prune(const struct lockgraph_circles *g, bool *keep)
{
	size_t size = ((size_t)g->nresources + 1) * sizeof(struct common);
	struct prune p = { .g = g,
			   .keep = keep,
			   .left = STEPS,
			   .wanting = mem_alloc(size),
			   .providing = mem_alloc(size) };

	memset(keep, true, g->nrequests);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint64_t before = find_commons(&p);

		if (before == 0 || find_edges(&p) == before)
			break;
		find_circles(&p);
	}
	MEM_FREE_ALL(p.wanting, p.providing);
	VEC_RELEASE_ALL(&p.keys, &p.edges);
}
