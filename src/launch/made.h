/*
 * A program that is compiled because source was given in its place, in a directory of its own.
 */
#ifndef LAUNCH_MADE_H
#define LAUNCH_MADE_H

#include "base/common.h"

struct spec;

struct made {
	char *directory, *path;
};

/* Compiles argv[0] when it is source; argv[0] is then what came of it.  level: behind -O, one character.  spec: for its
 * functions, or NULL. */
enum status made_prepare(struct made *m, char **argv, const char *level, const struct spec *spec,
			 struct diag *d) ST_CHECKED;
/* Where schedules are counted, or time. */
#define MADE_LEVEL "1"
/* Removes it. */
void made_release(struct made *m);

#endif /* LAUNCH_MADE_H */
