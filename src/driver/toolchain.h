/*
 * Where foresee's parts and the compiler are.
 *
 * The drivers work in place and installed alike: everything is found from
 * where the running program lies, PREFIX/bin.  An LLVM counts when both
 * PREFIX/lib/foresee/pass-N.so and clang-N on PATH are there.
 */
#ifndef DRIVER_TOOLCHAIN_H
#define DRIVER_TOOLCHAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOLCHAIN_OLDEST 14
#define TOOLCHAIN_NEWEST 20

struct toolchain {
	char library[PATH_MAX]; /* PREFIX/lib/foresee */
	char include[PATH_MAX]; /* PREFIX/include */
	char pass[PATH_MAX];	/* the pass for this LLVM */
	char runtime[PATH_MAX];
	char compiler[32]; /* "clang-14" or "clang++-14", to be found on PATH */
};

/*
 * wanted: a version number as text, or NULL for the oldest that is there.  On failure prints
 * what is missing, under the name `self', and returns false.
 */
bool toolchain_find(struct toolchain *t, const char *self, bool cxx, const char *wanted);

#endif /* DRIVER_TOOLCHAIN_H */
