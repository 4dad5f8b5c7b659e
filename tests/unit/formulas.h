/*
 * Past time formulas at random, as text for a spec and as trees whose truth is told by the table
 * of doc/SPECS.md on the whole sequence of states.  Shares nothing with src/spec or src/monitor.
 *
 * Atoms compare the variables x, y and z, or are one of the events e0 .. e2.
 */
#ifndef TESTS_FORMULAS_H
#define TESTS_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tiny.h"

#define FORMULA_NODES 64
#define FORMULA_EVENTS 3

/* X(id, operands) */
#define FORMULA_OPS(X) \
	X(TRUE, 0)     \
	X(COMPARE, 0)  \
	X(EVENT, 0)    \
	X(NOT, 1)      \
	X(PREV, 1)     \
	X(ONCE, 1)     \
	X(HIST, 1)     \
	X(START, 1)    \
	X(END, 1)      \
	X(AND, 2)      \
	X(OR, 2)       \
	X(IMPLIES, 2)  \
	X(IFF, 2)      \
	X(SINCE, 2)    \
	X(WSINCE, 2)   \
	X(INTERVAL, 2) \
	X(WINTERVAL, 2)

enum formula_op {
#define X(id, operands) FORMULA_##id,
	FORMULA_OPS(X)
#undef X
		FORMULA_NOPS
};

struct formula_node {
	enum formula_op op;
	int a, b;	      /* places of operands */
	int variable, other;  /* COMPARE: x + other (-1: none) relation number */
	int relation, number; /* relation: place in == != < <= > >= */
	int event;
};

struct formula {
	struct formula_node at[FORMULA_NODES]; /* the root is at 0 */
	int n;
	unsigned variables, events; /* masks of what it names */
};

struct formula_state {
	int value[TINY_VARS];
	unsigned events; /* that led to it */
};

/* Only of the variables and events in the masks; events may be 0. */
void formula_random(struct formula *f, struct tiny_rng *rng, unsigned variables, unsigned events);
size_t formula_print(const struct formula *f, char *out, size_t max);
/* In state n (from 1) of the sequence. */
bool formula_holds(const struct formula *f, const struct formula_state *states, int n);

#endif /* TESTS_FORMULAS_H */
