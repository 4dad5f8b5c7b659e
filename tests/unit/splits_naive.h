/*
 * Blocks that another thread can come into, from the definitions (doc/SEMANTICS.md): which four accesses
 * make a pattern, whatever order they can have (enumerate_split says that).
 */
#ifndef TESTS_SPLITS_NAIVE_H
#define TESTS_SPLITS_NAIVE_H

#include "enumerate.h"

/* Accesses of two threads to a cell, and one writes; atomics too. */
bool splits_conflict(const struct tiny *t, int a, int b);
/* p and c, of one thread, are such that r, if it came between, could come in no other place. */
bool splits_is_triple(const struct tiny *t, int p, int r, int c);
bool splits_in_one_block(const struct tiny *t, int a, int c);

/* Each pattern, triples (b is d) before others; not what forks, joins and the like bring about in every run. */
typedef void splits_fn(void *arg, const struct tiny *t, const struct split *p);
void splits_each(const struct tiny *t, splits_fn *fn, void *arg);

/* Blocks that nobody marks (doc/WITNESS.md, `block'): why the accesses a and c of a pattern may be meant to be atomic. */
enum guess { GUESS_SPLIT, GUESS_CHECK, GUESS_REREAD, GUESS_SECTIONS, GUESS_PAIR };
bool splits_is_guess(const struct tiny *t, const struct split *p, enum guess guess);
/* Each triple of a guess that is worth a search; with those that are hardly meant so. */
void splits_each_guess(const struct tiny *t, splits_fn *fn, void *arg);

#endif /* TESTS_SPLITS_NAIVE_H */
