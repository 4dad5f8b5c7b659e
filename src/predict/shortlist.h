/*
 * For searches that cost too much to be made for every pair: a few pairs of accesses for each
 * signature: those near each other first, and of those the earliest.
 *
 * Pairs of which one must run before the other are left out.  A group whose list is complete has
 * all others that there are, so who refutes those has refuted the signature.
 *
 * Ownership: a shortlist stands alone.
 */
#ifndef PREDICT_SHORTLIST_H
#define PREDICT_SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct candidates;
struct causal;
struct engine_options;
struct model;

struct shortlist_pair {
	uint64_t group; /* the signature; with all_pairs the pair itself */
	uint32_t e[2];
};

/* All pairs are of one group. */
struct shortlist_group {
	const struct shortlist_pair *at;
	uint32_t n;
	bool complete;
};

static inline uint64_t shortlist_group_of(uint32_t e1, uint32_t e2)
{
	return (uint64_t)e2 << 32 | e1;
}

struct shortlist;

struct shortlist_source {
	const struct model *m;
	const struct causal *c; /* what must run before what */
	const struct candidates *candidates;
	const struct engine_options *opt;
	/* Groups that are not wanted; called from several threads. */
	bool (*skip)(void *arg, uint64_t group);
	void *arg;
};

/* From n pieces of the candidates. */
struct shortlist *shortlist_new(const struct shortlist_source *s, size_t first, size_t n);
void shortlist_free(struct shortlist *l);

size_t shortlist_count(const struct shortlist *l);
struct shortlist_group shortlist_at(const struct shortlist *l, size_t i);
/* There were more pairs than memory is given to; some groups may be missing. */
bool shortlist_is_cut(const struct shortlist *l);

#endif /* PREDICT_SHORTLIST_H */
