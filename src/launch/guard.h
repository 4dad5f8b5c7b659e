/*
 * A program with monitors inside: its spec compiled, the spec's names found in the program, and the program started
 * in our place.
 *
 * Where variables lie is asked of the program itself: it is started once, up to where main would begin, and says
 * so in a recording.  So names mean what they mean to `check', and messages are the same.
 */
#ifndef LAUNCH_GUARD_H
#define LAUNCH_GUARD_H

#include "base/common.h"

struct spec;

struct guard_order {
	const struct spec *spec;
	const char *path; /* of the program */
	char **argv;
	bool all;   /* a line for every violation, not one for each place */
	bool quiet; /* no notes */
};

/* Becomes the program.  Returns only if that cannot be. */
enum status guard_become(const struct guard_order *g, struct diag *d) ST_CHECKED;

#endif /* LAUNCH_GUARD_H */
