/*
 * What lies at an address at this point of the reading: a heap block, a
 * mapping, a thread's stack, a global.
 *
 * Globals are a sorted array.  Where a library was loaded in the place of another, an ALLOC with the
 * number of its unit says from when on the address belongs to its variable.  A name that the program
 * itself has given to a piece of memory comes before all of these, as long as the memory lives.
 *
 * Ownership: the caller owns the struct; global names are borrowed.
 */
#ifndef NAMES_OBJECTS_H
#define NAMES_OBJECTS_H

#include "trace/event.h"
#include "base/spans.h"

struct images;
struct program;
struct program_global;

enum objects_kind { OBJECTS_HEAP, OBJECTS_MAP, OBJECTS_STACK };

struct objects {
	struct spans blocks; /* number: heap#N, map#N; the thread of a stack */
	struct spans named;  /* what the program calls it; number: in words */
	struct spans benign; /* what the program says of races there; number: in words */
	struct intern *words;
	uint32_t nheap, nmap;
	uint64_t next_id;
	struct program_global *globals; /* sorted by address */
	size_t nglobals;
	uint64_t *reach;  /* beside them: the highest end so far */
	struct map units; /* that have globals */
	struct spans
		owners;	   /* whose globals count now, where others lay before; number: the unit */
	struct map stacks; /* tid, to the address of its stack */
	struct images *images;
	bool locks; /* nothing is known of memory: locks and the like get numbers */
	bool late;
	struct map numbers; /* address, to name and number (objects.c) */
	uint32_t nnumbers[EVENT_OBJECTS];
	struct strbuf text;
};

/* locks: the recording was made with --locks-only; late: the trace begins in the middle of it.  The
 * program's images are borrowed. */
void objects_init(struct objects *o, const struct program *p, bool locks, bool late);
/* More have been found.  Numbers of globals (objects_id) may change then: a library was loaded. */
void objects_globals(struct objects *o, const struct program *p);
void objects_release(struct objects *o);

/* Follows ALLOC, FREE, THREAD_BEGIN, THREAD_END and USER, and with `locks' what synchronises; others
 * change nothing. */
void objects_event(struct objects *o, const struct event *e);

/* As the trace_object_* functions say. */
const char *objects_name(struct objects *o, uint64_t addr);
const char *objects_own(struct objects *o, uint64_t addr);
const char *objects_given(struct objects *o, uint64_t addr);
const char *objects_range(struct objects *o, uint64_t addr);
uint64_t objects_id(struct objects *o, uint64_t addr);
const char *objects_benign(struct objects *o, uint64_t addr);

#endif /* NAMES_OBJECTS_H */
