/*
 * The program and its libraries, as far as places or locks in them were met: each is written to
 * the trace once, with what it takes to find its names later.
 */
#ifndef CAPTURE_LOCKS_IMAGE_H
#define CAPTURE_LOCKS_IMAGE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

struct locks_image {
	uint32_t number; /* in the trace; 0: none, too many */
	bool plumbing;	/* libc, the loader or the runtime: what is below main and below a thread */
	bool own;	/* the runtime */
	uintptr_t bias; /* addresses minus this are those of the file */
	uintptr_t low, high; /* where it is loaded; there may be holes */
};

/* The image that was found (_dl_find_object takes no lock); written to the trace when new. */
struct locks_image locks_image_of(const struct dl_find_object *found);

/* A lock lies at p: the trace must know that image too, if p is in one. */
void locks_image_note(const void *p);

/* A library has gone: what lies at its addresses from now on is another. */
void locks_image_forget(void);

#endif /* CAPTURE_LOCKS_IMAGE_H */
