/*
 * What the parts of the making of a graph share.
 */
#ifndef PREDICT_LOCKGRAPH_PRIV_H
#define PREDICT_LOCKGRAPH_PRIV_H

#include "predict/lockgraph.h"

/* Requests before they are a graph. */
struct lockgraph_circles {
	const struct model *m;
	const struct lockgraph_request *requests;
	uint32_t nrequests, nresources;
	const bool *live;    /* by tid: the thread is a resource; NULL: none is */
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

/* What providers are sorted by, one key after the other. */
enum lockgraph_key { LOCKGRAPH_BY_WANTS, LOCKGRAPH_BY_PLACE, LOCKGRAPH_BY_RESOURCE };

static inline uint32_t lockgraph_key_of(const struct lockgraph_provider *p, enum lockgraph_key by)
{
	return by == LOCKGRAPH_BY_WANTS	  ? p->wants
	       : by == LOCKGRAPH_BY_PLACE ? p->place
					  : p->resource;
}

#endif /* PREDICT_LOCKGRAPH_PRIV_H */
