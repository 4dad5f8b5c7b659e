/*
 * The generator's state, and what its parts offer each other.
 *
 * A program is written from top to bottom into a stream; all choices come from
 * one seeded generator, so a seed names a program for ever (of one version of
 * these files).  Generated code keeps its private values in `acc', `tmp' and
 * loop counters, all unsigned; everything else it touches is in prelude.h.
 *
 * Cost: an estimate of the events the code written so far makes, so that
 * programs stay within their budget.  Loops multiply what is written in them.
 */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GEN_LOCK_RANKS 14

/* Where a statement stands decides what it may do. */
enum gen_place {
	GEN_LEAF,  /* nothing that may block: leaf functions, code under a spin lock */
	GEN_BLOCK, /* may take locks above `held' */
	GEN_TOP,   /* in addition holds no lock at all: may start and join children */
};

struct gen {
	FILE *out;
	uint64_t state;
	int indent;
	int depth;     /* nesting of loops, branches and sections */
	int loops;     /* loop counters in use: i0 ... */
	int held;      /* rank of the highest lock held, -1 none */
	bool pointers; /* the parameters p and q are in scope */
	bool frame;    /* the pointer fr to a stack frame is in scope */
	bool clean;    /* no races */
	bool serial;   /* the workers come one after the other */
	int workers;
	bool frames;		     /* the workers' frames are shared */
	int leaves, walks, children; /* functions that can be called so far */
	double leaf_cost[8], walk_cost[8], child_cost[8];
	double times; /* how often the code being written runs */
	double cost;
};

/* A number below n. */
uint32_t gen_below(struct gen *g, uint32_t n);
/* True in `percent' cases of a hundred. */
bool gen_chance(struct gen *g, uint32_t percent);
/* One of the strings of a NULL-terminated list. */
const char *gen_pick(struct gen *g, const char *const *list);

/* Part of a line; a whole line; an empty one; tabs; braces. */
__attribute__((format(printf, 2, 3))) void gen_put(struct gen *g, const char *format, ...);
__attribute__((format(printf, 2, 3))) void gen_line(struct gen *g, const char *format, ...);
void gen_blank(struct gen *g);
void gen_indent(struct gen *g);
void gen_open(struct gen *g);
void gen_close(struct gen *g);
/* The code between them touches the memory of lock n only; see clean.h. */
void gen_region_enter(struct gen *g, int n);
void gen_region_leave(struct gen *g);
/* So many events each time the code being written runs. */
void gen_charge(struct gen *g, double events);

/* An index below the power of two n: a constant or made from private values. */
void gen_index(struct gen *g, uint32_t n);
/* A private value of any kind, of type u64; may read shared memory. */
void gen_value(struct gen *g, int depth);
/* One statement that touches memory and cannot block. */
void gen_memory(struct gen *g);
/* One statement made of atomic operations. */
void gen_atomic(struct gen *g);
/* One statement that synchronises; may hold statements in turn. */
void gen_sync(struct gen *g, enum gen_place place);
/* n statements, in braces by the caller. */
void gen_statements(struct gen *g, enum gen_place place, int n);

#endif /* GEN_GEN_H */
