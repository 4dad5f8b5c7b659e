/*
 * A random tiny trace, all that the enumeration knows of it, and the checker loaded with it: what
 * the random tests of engines and checker start from.
 */
#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "enumerate.h"
#include "tiny.h"
#include "witness/check.h"

struct evidence;
struct trace;

/* What an answer may be held to. */
enum wanted {
	WANT_HB,
	WANT_HB_WIDE,
	WANT_SHB,
	WANT_WCP,
	WANT_WCP_WIDE,
	WANT_STRICT,
	WANT_DEP,
	WANT_SYNCP_STRICT,
	WANT_SYNCP_DEP,
	WANT_VALUES_STRICT,
	WANT_VALUES_DEP,
	NWANTED
};

struct trial {
	uint64_t seed;
	struct tiny t;
	char text[4096], path[64]; /* the trace; a file that holds it */
	int fd;
	struct pairs want[NWANTED];
	struct enumeration *all[NWANTED]; /* from WANT_STRICT on */
	struct trace *trace;
	struct evidence *evidence;
	struct checker *checker;
};

/* From this seed on trial_begin makes traces with comparisons. */
#define TRIAL_TESTS 1000000u

/* Call trial_end also after false: the trace could not be read. */
bool trial_begin(struct trial *x, uint64_t seed);
/* The same with locks in locks, or with condition waits, and no values; of the answers only STRICT,
 * DEP, SYNCP_STRICT and SYNCP_DEP. */
bool trial_begin_locks(struct trial *x, uint64_t seed);
bool trial_begin_waits(struct trial *x, uint64_t seed);
/* The same with semaphores and tries that fail, and with values; also VALUES_STRICT and VALUES_DEP. */
bool trial_begin_counts(struct trial *x, uint64_t seed);
/* The same with blocks, in four of five; none of the answers. */
bool trial_begin_blocks(struct trial *x, uint64_t seed);
/* Of a text with values, about which nothing is known. */
bool trial_text(struct trial *x, const char *text);
void trial_end(struct trial *x);

/* Prints what went wrong with the trace; false when enough was said and only counting is left. */
bool trial_complain(const struct trial *x, const char *what);

/* A claim about a race of two targets, without relaxed reads. */
struct check_claim trial_claim(const uint64_t *targets, const struct check_order *order,
			       bool strict, bool values);
/* By the checker; *dep (may be NULL): it took the dependency-aware model. */
bool trial_certify(const struct trial *x, const struct check_claim *claim, bool *dep);
/* By the definition, whatever its kind; of waits: sure, or with doubt. */
bool trial_holds(const struct trial *x, const struct check_claim *claim);
bool trial_holds_in_doubt(const struct trial *x, const struct check_claim *claim);

/* Seeds to go through: SEED=N only that one, LONG=1 many. */
struct trial_seeds {
	uint64_t from, n;
};
struct trial_seeds trial_seeds(uint64_t usual, uint64_t many);

#endif /* TESTS_TRIAL_H */
