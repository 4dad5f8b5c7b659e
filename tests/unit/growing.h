/*
 * A recorder in slow motion: writes a finished recording to another file once more, as a running
 * program would have, one small step at a time, so that others can be watched following it.
 *
 * Chunks grow in slots, are closed and copied to the end of the file; places at the end are
 * reserved first and filled later, so there are holes; slots are used again.
 */
#ifndef TESTS_GROWING_H
#define TESTS_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct growing;

struct builder_moment;

struct growing_how {
	bool torn;     /* chunks grow by any number of bytes, not by whole records */
	uint64_t keep; /* closed chunks go to areas, so many bytes in all (0: no) */
	/* As it came about (trace_builder.h; borrowed), else each thread at a time of its own. */
	const struct builder_moment *history;
	size_t nhistory;
};

/* From the bytes of a recording whose chunks are all closed. */
struct growing *growing_new(const char *path, const void *bytes, size_t n, uint64_t seed,
			    const struct growing_how *how);
void growing_free(struct growing *g);

/* One step of one thread.  False: everything is written. */
bool growing_step(struct growing *g);

#endif /* TESTS_GROWING_H */
