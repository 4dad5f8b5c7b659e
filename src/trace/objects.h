/*
 * What lies at an address at this point of the reading: a heap block, a
 * mapping, a thread's stack, a global.
 *
 * Blocks live in a treap keyed by address: a million live ones stay fast and
 * hostile orders stay balanced.  Globals never move: a sorted array.
 *
 * Ownership: the caller owns the struct; global names are borrowed.
 */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "trace/event.h"

struct control_global;
struct images;

enum objects_kind { OBJECTS_HEAP, OBJECTS_MAP, OBJECTS_STACK };

/* What a number is given to, when it is all there is for a name. */
#define OBJECTS_NAMED(X)      \
	X(LOCK, "lock")       \
	X(COND, "cond")       \
	X(SEM, "sem")         \
	X(BARRIER, "barrier") \
	X(ONCE, "once")

enum objects_name {
#define X(id, name) OBJECTS_##id,
	OBJECTS_NAMED(X)
#undef X
		OBJECTS_NAMES
};

struct objects_node {
	uint64_t addr, len;
	uint64_t id;
	uint32_t number; /* heap#N, map#N; the thread of a stack */
	uint8_t kind;
	uint32_t rank; /* treap: a parent's is not below its children's */
	uint32_t left, right;
};

struct objects {
	VEC(struct objects_node) nodes; /* node 0 is the empty tree */
	uint32_t root, unused;		/* unused: free list through `left' */
	uint32_t nheap, nmap;
	uint64_t next_id, seed;
	struct control_global *globals; /* sorted by address */
	size_t nglobals;
	struct map stacks; /* tid, to the address of its stack */
	struct images *images;
	bool locks;	    /* nothing is known of memory: locks and the like get numbers */
	struct map numbers; /* address, to name and number (objects.c) */
	uint32_t nnumbers[OBJECTS_NAMES];
	struct strbuf text;
};

/* images: borrowed; locks: the recording was made with --locks-only. */
void objects_init(struct objects *o, const struct control_global *globals, size_t nglobals,
		  struct images *images, bool locks);
void objects_release(struct objects *o);

/* Follows ALLOC, FREE, THREAD_BEGIN and THREAD_END, and with `locks' what synchronises; others
 * change nothing. */
void objects_event(struct objects *o, const struct event *e);

/* As trace_object_name, trace_object_range and trace_object_id say. */
const char *objects_name(struct objects *o, uint64_t addr);
const char *objects_range(struct objects *o, uint64_t addr);
uint64_t objects_id(struct objects *o, uint64_t addr);

#endif /* TRACE_OBJECTS_H */
