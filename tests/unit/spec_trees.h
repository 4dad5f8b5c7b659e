/*
 * Specs for tests, made by hand: trees without a parser, and random ones.
 *
 * All of it lives until trees_release.
 */
#ifndef TESTS_SPEC_TREES_H
#define TESTS_SPEC_TREES_H

#include <stdint.h>

#include "base/vec.h"
#include "spec/spec.h"

struct trees {
	struct spec spec;
	uint64_t seed;
	VEC(void *) held;
};

/* Variables x0, x1, ... of type int, events e0, e1, ...: calls of functions of that name. */
void trees_init(struct trees *t, uint32_t nvariables, uint32_t nevents, uint64_t seed);
void trees_release(struct trees *t);
void *trees_alloc(struct trees *t, size_t n); /* zeroed */

/* Below n. */
uint32_t trees_random(struct trees *t, uint32_t n);

struct spec_expr *trees_const(struct trees *t, int64_t i);
struct spec_expr *trees_real(struct trees *t, double f);
struct spec_expr *trees_var(struct trees *t, uint32_t i);
struct spec_expr *trees_expr(struct trees *t, enum spec_expr_op op, struct spec_expr *a,
			     struct spec_expr *b);
struct spec_form *trees_form(struct trees *t, enum spec_form_op op, struct spec_form *a,
			     struct spec_form *b);
struct spec_form *trees_atom(struct trees *t, struct spec_expr *e);
struct spec_form *trees_event(struct trees *t, uint32_t i);
struct spec_rx *trees_rx(struct trees *t, enum spec_rx_op op, struct spec_rx *a, struct spec_rx *b);
struct spec_rx *trees_letter(struct trees *t, uint32_t event);

/* A property of the spec, whose sets say all variables and events. */
struct spec_property *trees_property(struct trees *t, enum spec_body body);

/* A truth value over the spec's variables and small numbers; depth of the arithmetic. */
struct spec_expr *trees_random_truth(struct trees *t, unsigned depth);
struct spec_form *trees_random_form(struct trees *t, unsigned depth);
struct spec_rx *trees_random_rx(struct trees *t, unsigned depth);
/* A machine of n states into the property. */
void trees_random_fsm(struct trees *t, struct spec_property *p, uint32_t n);

#endif /* TESTS_SPEC_TREES_H */
