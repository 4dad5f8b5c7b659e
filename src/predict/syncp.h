/*
 * Sync-preserving races: those that show in a reordering where the critical sections of each lock
 * keep their observed order.  All of them, and nothing else (doc/SEMANTICS.md 2.4).
 *
 * Other engines use the search as their first stage, hence this header.
 */
#ifndef PREDICT_SYNCP_H
#define PREDICT_SYNCP_H

#include <stdbool.h>
#include <stdint.h>

#include "order/causal.h"

struct candidates;
struct engine;
struct engine_options;
struct engine_result;
struct found;
struct model;

/* Searches the candidates and proposes what it finds under the name of `analysis'.  The caller
 * frees the result: the pairs and signatures that were found. */
struct found *syncp_search(const struct model *m, enum causal_mode mode,
			   const struct candidates *candidates, const struct engine_options *opt,
			   const struct engine *engine, struct engine_result *out);

/* Can these two be next at once?  cut: nchains counters; then what runs before, in observed
 * order.  For a single question; no conflict is asked for. */
bool syncp_pair(const struct model *m, const struct causal *c, uint32_t e1, uint32_t e2,
		uint32_t *cut);

#endif /* PREDICT_SYNCP_H */
