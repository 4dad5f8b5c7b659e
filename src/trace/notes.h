/*
 * What a reader could not use, in words: damage, losses, repairs.
 *
 * Ownership: the caller owns the struct; strings live until notes_release.
 */
#ifndef TRACE_NOTES_H
#define TRACE_NOTES_H

#include "base/common.h"

/* A hostile file must not fill memory with complaints. */
#define NOTES_MAX 1000

struct notes {
	VEC(char *) list;
};

/* Lower case, no full stop.  Past NOTES_MAX one last note says that there are more. */
void notes_add(struct notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_release(struct notes *n);

#endif /* TRACE_NOTES_H */
