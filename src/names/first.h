/*
 * What memory held when it came to be, as far as a recording says: the first bytes of variables
 * (C_GLOBAL), and memory that nobody writes to.
 *
 * Ownership: it copies what it needs of the program but the bytes, which live as long as that.
 */
#ifndef NAMES_FIRST_H
#define NAMES_FIRST_H

#include "trace/trace.h"

struct program;
struct first;

/* late: the trace begins in the middle of the run, so variables hold what the past has left. */
struct first *first_new(bool late);
void first_free(struct first *f);

/* As trace_first.  program may have grown since the last call. */
enum trace_first first_byte(struct first *f, const struct program *program, uint64_t addr,
			    uint8_t *byte);
/* As trace_extent. */
bool first_extent(struct first *f, const struct program *program, uint64_t addr, uint64_t *from,
		  uint64_t *len);

#endif /* NAMES_FIRST_H */
