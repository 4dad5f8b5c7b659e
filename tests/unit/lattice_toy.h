/*
 * Configurations of the toy in lattice_naive.h: two monitors made by hand over a spec with four
 * events, one for each kind of item.
 */
#ifndef TESTS_LATTICE_TOY_H
#define TESTS_LATTICE_TOY_H

#include "monitor/config.h"

struct toy {
	struct spec *spec;
	struct monitors monitors;
	struct configs *configs;
};

void toy_init(struct toy *t);
void toy_release(struct toy *t);

/* An item of kind 1 to 4, and its two writes: one that the monitors look for, and one of `other' to
 * a variable that they do not look at. */
struct watch_item toy_item(uint32_t kind, uint32_t other, struct watch_write *writes);

#endif /* TESTS_LATTICE_TOY_H */
