/*
 * A list of short texts for people: what was left out, and why.
 *
 * Ownership: the caller owns the struct; texts live until texts_release.
 */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include "base/vec.h"

struct texts {
	char **at;
	size_t n, capacity;
};

/* Lower case, no full stop.  What was added. */
const char *texts_add(struct texts *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What a reader could not use: damage, losses, repairs.  A hostile file must not fill memory with
 * complaints: past TEXTS_NOTES one last note says that there are more. */
#define TEXTS_NOTES 1000
void texts_note(struct texts *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves all of `from' to the end of `into'. */
void texts_move(struct texts *into, struct texts *from);
void texts_release(struct texts *t);

#endif /* BASE_TEXTS_H */
