/*
 * The expensive stages: the candidates of each signature (with all_pairs: each pair) are tried by
 * optimistic reversal and, if wanted, by exact search, a few pairs each.  The first one that
 * succeeds stands for its signature.
 *
 * Ownership: trials borrow all they are made with.
 */
#ifndef PREDICT_TRIALS_H
#define PREDICT_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct candidates;
struct causal;
struct engine;
struct engine_options;
struct engine_result;
struct model;

struct trials_setup {
	const struct model *m;
	const struct candidates *candidates;
	/* CAUSAL_STRICT or CAUSAL_DEP, as is_strict says; NULL: no optimistic reversal. */
	const struct causal *c;
	bool is_strict;
	const struct causal *exact; /* what exact_new needs; NULL: no exact search */
	const struct engine_options *opt;
	const struct engine *engine;
};

struct trials;
struct trials *trials_new(const struct trials_setup *setup);
void trials_free(struct trials *t);

/* A pair that was found before: its signature need not be tried. */
void trials_settle(struct trials *t, uint32_t e1, uint32_t e2, uint64_t signature);

/* Proposes what is found and says what was left out.  hard: CAUSAL_HARD, and then, unless every
 * pair is wanted, all candidates are counted by how they ended; NULL: they are not. */
void trials_run(struct trials *t, const struct causal *hard, struct engine_result *out);

#endif /* PREDICT_TRIALS_H */
