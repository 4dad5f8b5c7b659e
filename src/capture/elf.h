/*
 * The program and its libraries, as far as sites, locks or variables in them are in the trace:
 * each is written to it once, with what it takes to find its names later.
 */
#ifndef CAPTURE_ELF_H
#define CAPTURE_ELF_H

#include "capture/common.h"

struct elf_image {
	uint32_t number;     /* in the trace; 0: none, too many */
	bool plumbing;	     /* libc, the loader, the runtime: frames that call main or a routine */
	bool own;	     /* the runtime */
	uintptr_t bias;	     /* addresses minus this are those of the file */
	uintptr_t low, high; /* where it is loaded; there may be holes */
};

/* The image that was found (_dl_find_object takes no lock); written to the trace when new. */
struct elf_image elf_of(const struct dl_find_object *found);

/* A lock or a variable lies at p: the trace must know that image too, if p is in one. */
void elf_note(const void *p);

/* A library has gone: what lies at its addresses from now on is another. */
void elf_forget(void);

/*
 * Memory that is never written to while the program runs: code and constants of the program and its
 * libraries, arguments and environment.  The trace says where it lies, so that a reader need not
 * ask who wrote there.  What is there at the start; the library that p lies in, which has come later.
 */
void elf_steady_start(void);
void elf_steady_image(const void *p);

#endif /* CAPTURE_ELF_H */
