/*
 * What the engines that search reorderings have in common: how much they report, how long they
 * look, by which rules.
 */
#ifndef PREDICT_LIMITS_H
#define PREDICT_LIMITS_H

#include "predict/engine.h"

#define LIMIT_SIGNATURES 10000u	    /* findings, one for each pair of places */
#define LIMIT_PAIRS 10000000u	    /* findings with all_pairs */
#define LIMIT_OSR_STEPS 2000000u    /* events looked at for one pair */
#define LIMIT_EXACT_STEPS 10000000u /* exact search for one pair of places */
#define LIMIT_WAITS 10u /* pairs of places of condition waits that may spend all of that */
#define LIMIT_TRIES 16u /* pairs of events tried for one pair of places */
#define LIMIT_PATTERN_STEPS 20000000u /* requests looked at for all deadlock patterns */
#define LIMIT_CYCLES 1000u	      /* circles of places that may be deadlocks */
#define LIMIT_TUPLES 1000000u	      /* deadlock patterns with all_pairs, of one length */

/* A trace without dependency facts means the strict rules. */
static inline enum causal_mode limits_mode(const struct model *m, const struct engine_options *opt)
{
	return m->has_facts && !opt->strict ? CAUSAL_DEP : CAUSAL_STRICT;
}

/* The same for a search that counts: what must run before what, and no more. */
static inline enum causal_mode limits_must(const struct model *m, const struct engine_options *opt)
{
	return limits_mode(m, opt) == CAUSAL_DEP ? CAUSAL_MUST_DEP : CAUSAL_MUST_STRICT;
}

#endif /* PREDICT_LIMITS_H */
