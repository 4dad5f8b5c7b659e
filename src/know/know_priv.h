/* Where things lie in a vector. */
#ifndef KNOW_KNOW_PRIV_H
#define KNOW_KNOW_PRIV_H

#include <string.h>

#include "know/know.h"

/* Word 0 of an entry: the publication that it is of, shifted by one, and this: somebody has heard of it. */
#define KNOWN 1u

static inline size_t know_stride(const struct know_program *p, uint32_t n)
{
	return 1 + p->nplain + (size_t)p->nwide * (n + 1);
}

static inline uint64_t *know_entry(const struct know_program *p, const struct know_vector *v,
				   uint32_t tid)
{
	return (uint64_t *)v->words + 2 * (size_t)p->nvariables + tid * know_stride(p, v->n);
}

/* The value of a term in an entry; whom: the thread that its name stands for. */
static inline uint64_t *know_term_at(const struct know_program *p, uint32_t n, uint64_t *entry,
				     const struct know_term *term, uint32_t whom)
{
	if (term->dim == KNOW_FREE)
		return &entry[1 + term->slot];
	return &entry[1 + p->nplain + (size_t)term->slot * (n + 1) + (whom <= n ? whom : 0)];
}

/* A vector for n threads, all zero. */
struct know_vector *know_vector_new(struct know_world *w, uint32_t n);
/* t's own vector has entries up to n. */
bool know_grow(struct know_thread *t, uint32_t n);

/* Evaluates all terms, then all formulas, in the state of t.  initial: in the state before its first event.
 * True: some term has another value than before. */
bool know_evaluate(struct know_thread *t, bool initial);

#endif /* KNOW_KNOW_PRIV_H */
