/*
 * The reference model is short:
 *
 *	requests	every acquire that may wait, and every join, grouped by who, what, holding what
 *	kept		those that are on some circle of "wants what the next one provides"
 *
 * Most programs have millions of acquires and no circle.  So the circles are looked for among the
 * resources first: edge r -> s when somebody wants s and provides r.  Of the locks that are held
 * the innermost is enough.  Each of the others was held when that one was taken, so there is a way
 * from it already, and the components come out the same.
 *
 * Of the requests on circles, those that what is held keeps apart from all others are dropped.
 *
 * Threads are resources only when joined by somebody who holds a lock, or by such a thread: a
 * main that joins its workers with empty hands costs nothing.
 */
#include "predict/lockgraph.h"

#define SEEN_BITS 15u	    /* edges that were met lately, by hash */
#define HELD_FEW 16u	    /* by one request */
#define HELD_MOST 16000000u /* locks held, of all requests together */

struct occurrence {
	uint32_t event, request;
};

struct build {
	const struct model *m;
	struct lockgraph *g;
	struct lockgraph_circles c;
	uint32_t ntids;
	VEC(struct lockgraph_edge) edges;
	uint64_t *seen;
	uint32_t
		*circled; /* by hold: itself or the nearest around it that is on a circle; 0 none */

	/* While they are looked for, `first' is another one with the same hash: 1 + number, 0 none. */
	VEC(struct lockgraph_request) requests;
	struct map index;  /* by hash, 1 + number of a request */
	struct map places; /* by site and whether it joins, 1 + number */
	uint32_t nplaces;
	VEC(struct occurrence) occurrences;
	uint64_t held; /* by all requests together: so many providers there will be */
};

/* Part of how a lock of the program's own waits: it looks, and lets others run. */
static bool is_waiting(const struct model_event *v)
{
	return v->op == STEP_READ || v->op == STEP_RMW || v->op == STEP_OPAQUE ||
	       v->op == STEP_PUT || v->op == STEP_GET || v->op == STEP_POST || v->op == STEP_TAKE;
}

bool lockgraph_is_last(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	struct model_list l = model_chain(m, v->chain);
	uint32_t i = v->index + 1;

	while ((v->flags & STEP_OWN) && i < l.n && m->event[l.at[i]].tid == v->tid &&
	       is_waiting(&m->event[l.at[i]]))
		i++;
	return i >= l.n || m->event[l.at[i]].tid != v->tid;
}

static bool is_join(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];

	return v->op == STEP_JOIN || (v->op == STEP_JOINING && lockgraph_is_last(m, e));
}

/* What the event wants and may have to wait for for ever.  False: nothing. */
static bool wants(const struct build *b, uint32_t e, uint32_t *resource)
{
	const struct model_event *v = &b->m->event[e];

	switch (v->op) {
	case STEP_ACQ:
	case STEP_RACQ:
		*resource = v->obj;
		return !(v->flags & STEP_TRY) && !b->m->is_loose[v->obj];
	case STEP_REQ:
	case STEP_RREQ:
		*resource = v->obj;
		return !(v->flags & STEP_TRY) && !b->m->is_loose[v->obj] &&
		       lockgraph_is_last(b->m, e);
	case STEP_JOIN:
	case STEP_JOINING:
		*resource = b->m->nlocks + v->partner;
		return b->c.live && b->c.live[v->partner] && !(v->flags & STEP_TRY) &&
		       is_join(b->m, e);
	default:
		return false;
	}
}

/* --- threads that are resources ---------------------------------------------- */

static void find_live(struct build *b)
{
	const struct model *m = b->m;
	VEC(uint32_t) joins = { 0 };
	bool grew = true;

	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];

		if (v->tid >= b->ntids)
			b->ntids = v->tid + 1;
		if (v->op != STEP_JOIN && v->op != STEP_JOINING)
			continue;
		if (v->partner >= b->ntids)
			b->ntids = v->partner + 1;
		if (is_join(m, e))
			*VEC_PUSH(&joins) = e;
	}
	b->c.live = mem_zalloc((size_t)b->ntids + 1);
	/* Backwards: who is joined has joined others before, so that a chain of joins takes one round. */
	while (grew) {
		grew = false;
		for (size_t i = joins.n; i-- > 0;) {
			const struct model_event *v = &m->event[joins.at[i]];

			/* A join that never ended may be part of what hung. */
			if (!b->c.live[v->partner] &&
			    (v->hold != 0 || v->op == STEP_JOINING || b->c.live[v->tid]))
				grew = b->c.live[v->partner] = true;
		}
	}
	VEC_RELEASE(&joins);
}

/* --- circles of resources ----------------------------------------------------- */

static void edge_add(struct build *b, uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to;
	uint64_t *seen = &b->seen[hash_upper(key) >> (64 - SEEN_BITS)];

	if (*seen == ~key)
		return;
	*seen = ~key;
	*VEC_PUSH(&b->edges) = (struct lockgraph_edge){ from, to };
}

/* From all that is held: by way of the last of it, which had edges from all before.  A try had
 * none, for it does not wait; nor had a lock that anybody releases. */
static void edges_from_held(struct build *b, const struct model_event *v, uint32_t resource)
{
	const struct model *m = b->m;

	for (uint32_t h = v->hold; h != 0; h = m->holds[h].next) {
		edge_add(b, m->holds[h].lock, resource);
		if (!(m->event[m->holds[h].acquire].flags & STEP_TRY) &&
		    !m->is_loose[m->holds[h].lock])
			break;
	}
}

/* False: there are no circles. */
static bool find_components(struct build *b)
{
	const struct model *m = b->m;
	uint32_t n;

	b->seen = mem_zalloc(sizeof(*b->seen) << SEEN_BITS);
	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		uint32_t resource;

		if (!wants(b, e, &resource))
			continue;
		edges_from_held(b, v, resource);
		if (b->c.live && b->c.live[v->tid])
			edge_add(b, m->nlocks + v->tid, resource);
	}
	mem_free(b->seen);
	b->c.component = mem_alloc(((size_t)b->c.nresources + 1) * sizeof(*b->c.component));
	n = lockgraph_components(b->c.nresources, b->edges.at, b->edges.n, b->c.component);
	VEC_RELEASE(&b->edges);
	return n != 0;
}

/* --- requests ------------------------------------------------------------------ */

/* What is held around a circle may be much: it is passed over. */
static void find_circled(struct build *b)
{
	const struct model *m = b->m;

	b->circled = mem_zalloc(((size_t)m->nholds + 1) * sizeof(*b->circled));
	for (uint32_t h = 1; h < m->nholds; h++) /* a hold comes after its next one */
		b->circled[h] = b->c.component[m->holds[h].lock] ? h : b->circled[m->holds[h].next];
}

static bool is_on_circle(const struct build *b, const struct model_event *v, uint32_t wanted)
{
	if (b->c.component[wanted] == 0)
		return false;
	for (uint32_t h = b->circled[v->hold]; h != 0; h = b->circled[b->m->holds[h].next])
		if (b->c.component[b->m->holds[h].lock] == b->c.component[wanted])
			return true;
	return lockgraph_provides_itself(&b->c, v->tid, wanted);
}

static uint32_t place_of(struct build *b, uint32_t site, bool joins)
{
	uint64_t *place = map_put(&b->places, (uint64_t)site << 1 | joins, NULL);

	if (*place == 0)
		*place = ++b->nplaces;
	return (uint32_t)*place - 1;
}

static uint32_t request_find(struct build *b, const struct lockgraph_request *r)
{
	uint64_t hash =
		hash_pair((uint64_t)r->tid << 32 | r->wants, (uint64_t)r->set << 32 | r->place);
	uint64_t *head = map_put(&b->index, hash ^ r->shared, NULL);

	for (uint32_t i = (uint32_t)*head; i != 0; i = b->requests.at[i - 1].first) {
		const struct lockgraph_request *o = &b->requests.at[i - 1];

		if (o->tid == r->tid && o->wants == r->wants && o->set == r->set &&
		    o->place == r->place && o->shared == r->shared)
			return i - 1;
	}
	*VEC_PUSH(&b->requests) = *r;
	b->held += model_set(b->m, r->set).n;
	b->requests.at[b->requests.n - 1].first = (uint32_t)*head;
	*head = b->requests.n;
	return (uint32_t)b->requests.n - 1;
}

/* Once there are too many locks in held sets, requests that hold many are left out. */
static bool has_room(struct build *b, uint32_t hold)
{
	uint32_t n = 0;

	if (b->held <= HELD_MOST)
		return true;
	for (; hold != 0 && n <= HELD_FEW; hold = b->m->holds[hold].next)
		n++;
	b->g->is_cut |= n > HELD_FEW;
	return n <= HELD_FEW;
}

static void find_requests(struct build *b)
{
	const struct model *m = b->m;

	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];
		uint32_t wanted, request;

		if ((v->hold == 0 && !(b->c.live && b->c.live[v->tid])) || !wants(b, e, &wanted) ||
		    !is_on_circle(b, v, wanted) || !has_room(b, v->hold))
			continue;
		request =
			request_find(b, &(struct lockgraph_request){
						.tid = v->tid,
						.wants = wanted,
						.set = model_held_set(m, v->hold),
						.place = place_of(b, v->site, wanted >= m->nlocks),
						.shared = v->op == STEP_RACQ || v->op == STEP_RREQ,
					});
		b->requests.at[request].n++;
		*VEC_PUSH(&b->occurrences) = (struct occurrence){ e, request };
	}
}

/* --- the graph ------------------------------------------------------------------ */

/* Requests and what happened at them, without those that can meet nobody. */
static void drop_requests(struct build *b)
{
	bool *keep = mem_alloc(b->requests.n + 1);
	uint32_t *number = mem_alloc((b->requests.n + 1) * sizeof(*number));
	size_t nrequests = 0, n = 0;

	b->c.requests = b->requests.at;
	b->c.nrequests = (uint32_t)b->requests.n;
	lockgraph_prune(&b->c, keep);
	for (size_t i = 0; i < b->requests.n; i++) {
		number[i] = (uint32_t)nrequests;
		if (keep[i])
			b->requests.at[nrequests++] = b->requests.at[i];
	}
	for (size_t i = 0; i < b->occurrences.n; i++) {
		struct occurrence o = b->occurrences.at[i];

		if (keep[o.request])
			b->occurrences.at[n++] = (struct occurrence){ o.event, number[o.request] };
	}
	b->requests.n = nrequests;
	b->occurrences.n = n;
	MEM_FREE_ALL(keep, number);
}

static void take_requests(struct build *b)
{
	struct lockgraph *g = b->g;
	uint32_t first = 0;

	g->nrequests = (uint32_t)b->requests.n;
	g->requests = b->requests.at;
	g->nplaces = b->nplaces;
	g->events = mem_alloc((b->occurrences.n + 1) * sizeof(*g->events));
	for (uint32_t i = 0; i < g->nrequests; i++) {
		g->requests[i].first = first;
		first += g->requests[i].n;
		g->requests[i].n = 0;
	}
	for (size_t i = 0; i < b->occurrences.n; i++) {
		struct lockgraph_request *r = &g->requests[b->occurrences.at[i].request];

		g->events[r->first + r->n++] = b->occurrences.at[i].event;
	}
}

/*
 * A pattern has its threads in one component.  If there is no shorter one inside, it wants as many
 * resources as it has threads, and those are there, too.
 */
static void find_longest(struct build *b)
{
	uint32_t *resources = mem_zalloc(((size_t)b->c.nresources + 1) * sizeof(*resources));
	uint32_t *threads = mem_zalloc(((size_t)b->c.nresources + 1) * sizeof(*threads));
	struct map met = { 0 }; /* component and tid */

	for (uint32_t r = 0; r < b->c.nresources; r++)
		resources[b->c.component[r]]++;
	for (uint32_t i = 0; i < b->g->nrequests; i++) {
		uint32_t c = b->c.component[b->g->requests[i].wants], most;
		bool fresh;

		map_put(&met, (uint64_t)c << 32 | b->g->requests[i].tid, &fresh);
		threads[c] += fresh;
		most = threads[c] < resources[c] ? threads[c] : resources[c];
		if (threads[c] > b->g->nthreads)
			b->g->nthreads = threads[c];
		if (most > b->g->longest)
			b->g->longest = most;
	}
	map_release(&met);
	MEM_FREE_ALL(resources, threads);
}

struct lockgraph *lockgraph_new(const struct model *m, bool joins)
{
	struct lockgraph *g = mem_zalloc(sizeof(*g));
	struct build b = { .m = m, .g = g, .c = { .m = m } };

	g->m = m;
	g->has_joins = joins;
	if (joins)
		find_live(&b);
	g->nresources = b.c.nresources = m->nlocks + b.ntids;
	if (find_components(&b)) {
		find_circled(&b);
		find_requests(&b);
		drop_requests(&b);
	}
	take_requests(&b);
	find_longest(&b);
	lockgraph_list(g, &b.c);
	MEM_FREE_ALL(b.c.live, b.c.component, b.circled);
	VEC_RELEASE(&b.occurrences);
	MAP_RELEASE_ALL(&b.index, &b.places);
	return g;
}

void lockgraph_free(struct lockgraph *g)
{
	if (!g)
		return;
	MEM_FREE_ALL(g->requests, g->events, g->providers, g->by_place, g->place_start,
		     g->resource_start, g);
}
