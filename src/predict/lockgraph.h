/*
 * Who asks for a lock holding others: the lock dependencies of a run (Joshi et al., PLDI 2009), as
 * far as they can be part of a deadlock.
 *
 * A request is (thread, what it wants, mode, held set, place), with all events of the run that are
 * it, in program order: acquires that may wait, and where the recorded run ended in a wait, the
 * event that says so.  With joins, a JOIN is a request as well: what it wants is the other thread.
 *
 * Resources are what a request can wait for: locks 0 .. m->nlocks - 1, then threads.  A request
 * provides the locks its thread holds, and its thread: whoever wants one of them waits for it.
 *
 * Only requests on a circle of resources are kept.  A program that always locks in one order has
 * none, whatever the number of its locks.
 *
 * Ownership: borrows the model.  Threads: read-only once made.
 */
#ifndef PREDICT_LOCKGRAPH_H
#define PREDICT_LOCKGRAPH_H

#include "order/model.h"

struct lockgraph_request {
	uint32_t tid;
	uint32_t wants; /* resource */
	uint32_t set;	/* what is held, a number of model_held_set */
	uint32_t place; /* number of its site; joins have others than locks */
	uint32_t first; /* of its events */
	uint32_t n;
	bool shared; /* read mode: waits for exclusive holders only */
};

/* A request that provides a resource. */
struct lockgraph_provider {
	uint32_t resource, place, wants;
	uint32_t request;
	bool shared; /* the resource is held in read mode */
};

struct lockgraph {
	const struct model *m;
	struct lockgraph_request *requests; /* by first event */
	uint32_t nrequests;
	uint32_t *events; /* ids, request by request */
	/* By resource, place, what they want, number.  Only of resources on the circles of `wants'. */
	struct lockgraph_provider *providers;
	uint32_t nproviders;
	uint32_t *by_place;    /* numbers of requests, by place */
	uint32_t *place_start; /* [nplaces + 1], in by_place */
	uint32_t nplaces;
	uint32_t nthreads;	  /* most that have requests on the same circles */
	uint32_t longest;	  /* most threads of a pattern that has no shorter one inside */
	bool has_readers;	  /* something is held in read mode */
	bool has_joins;		  /* made with joins */
	bool is_coarse;		  /* all requests were put at place 0 */
	bool is_cut;		  /* some that hold many locks had no room */
	uint32_t *resource_start; /* [nresources + 1], in providers */
	uint32_t nresources;
};

struct lockgraph *lockgraph_new(const struct model *m, bool joins);
void lockgraph_free(struct lockgraph *g);

/* Pairs of places of which one wants what the other provides; at most this many. */
uint64_t lockgraph_place_edges(const struct lockgraph *g);
/* For graphs that have too many of them: places are told apart no longer.  Before anybody else
 * uses the graph. */
void lockgraph_coarsen(struct lockgraph *g);

/* The recorded run ended here for the thread of e. */
bool lockgraph_is_last(const struct model *m, uint32_t e);

static inline uint32_t lockgraph_site(const struct lockgraph *g, uint32_t request)
{
	return g->m->event[g->events[g->requests[request].first]].site;
}

static inline bool lockgraph_is_join(const struct lockgraph *g, uint32_t request)
{
	return g->requests[request].wants >= g->m->nlocks;
}

static inline uint32_t lockgraph_thread(const struct lockgraph *g, uint32_t tid)
{
	return g->m->nlocks + tid;
}

struct lockgraph_range {
	const struct lockgraph_provider *at;
	uint32_t n;
};

/* Who provides a resource at a place; of those, who want a given one. */
struct lockgraph_range lockgraph_providers(const struct lockgraph *g, uint32_t resource,
					   uint32_t place);
struct lockgraph_range lockgraph_wanting(struct lockgraph_range r, uint32_t wants);

/* Request a waits for request b, as far as locks and modes go. */
bool lockgraph_waits(const struct lockgraph *g, uint32_t a, uint32_t b);

/* Edges from resource to resource.  component[i] := number, from 1, of the circles i is on; 0:
 * it is on none.  Returns how many numbers there are. */
struct lockgraph_edge {
	uint32_t from, to;
};
uint32_t lockgraph_components(uint32_t n, const struct lockgraph_edge *edges, size_t nedges,
			      uint32_t *component);

/* ---- the parts of its making ---- */

/* Requests before they are a graph. */
struct lockgraph_circles {
	const struct model *m;
	const struct lockgraph_request *requests;
	uint32_t nrequests, nresources;
	bool *live;	     /* by tid: the thread is a resource; NULL: none is */
	uint32_t *component; /* by resource */
};

/* The thread is a resource on the circles that `wanted' is on. */
static inline bool lockgraph_provides_itself(const struct lockgraph_circles *c, uint32_t tid,
					     uint32_t wanted)
{
	return c->live && c->live[tid] && c->component[c->m->nlocks + tid] == c->component[wanted];
}

/* lockgraph_list.c: lists of the requests of g by place, and of providers. */
void lockgraph_list(struct lockgraph *g, const struct lockgraph_circles *c);

/* lockgraph_prune.c.  keep[i] := request i may meet the next one and the one before it on some
 * circle; component is brought up to date. */
void lockgraph_prune(const struct lockgraph_circles *g, bool *keep);

#endif /* PREDICT_LOCKGRAPH_H */
