/*
 * What providers are sorted by, one key after the other.
 */
#ifndef PREDICT_LOCKGRAPH_PRIV_H
#define PREDICT_LOCKGRAPH_PRIV_H

#include "predict/lockgraph.h"

enum lockgraph_key { LOCKGRAPH_BY_WANTS, LOCKGRAPH_BY_PLACE, LOCKGRAPH_BY_RESOURCE };

static inline uint32_t lockgraph_key_of(const struct lockgraph_provider *p, enum lockgraph_key by)
{
	return by == LOCKGRAPH_BY_WANTS	  ? p->wants
	       : by == LOCKGRAPH_BY_PLACE ? p->place
					  : p->resource;
}

#endif /* PREDICT_LOCKGRAPH_PRIV_H */
