/*
 * The definitions behind the engines that search reorderings, as directly as they can be written:
 * sets of events, explicit edges, an order played through event by event.  And random
 * models to try them on.
 *
 * What must run before an event is taken from order/causal, which has its own test.
 */
#ifndef TESTS_REORDER_NAIVE_H
#define TESTS_REORDER_NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finding/schedule.h"
#include "order/causal.h"
#include "order/model.h"

#define NAIVE_EVENTS 40

struct naive_kind {
	bool facts;   /* free reads, feeds, uses */
	bool readers; /* locks in read mode */
	bool edges;   /* channels, AFTER, GUARD */
	bool trouble; /* STOP, TAINTED */
};

/* Two to four threads; the seed is that of rand(). */
struct model *naive_model(const struct naive_kind *k);

/* Sync-preserving: what must run can run in observed order, both events next then. */
bool naive_syncp(const struct model *m, const struct causal *c, uint32_t e1, uint32_t e2);
/* Optimistic reversal: the graph has no cycle. */
bool naive_osr(const struct model *m, const struct causal *c, bool strict, uint32_t e1,
	       uint32_t e2);

/* A schedule as a list of events; their number, at most NAIVE_EVENTS. */
size_t naive_order(const struct model *m, const struct schedule *s, uint32_t *order);
/* The order is a correct reordering after which both events are next. */
bool naive_witness(const struct model *m, bool strict, const uint32_t *order, size_t n, uint32_t e1,
		   uint32_t e2);

#endif /* TESTS_REORDER_NAIVE_H */
