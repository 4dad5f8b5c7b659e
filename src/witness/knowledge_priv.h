/*
 * What a run has led to so far (knowledge.c), of which formulas are asked (knowledge_ask.c).
 */
#ifndef WITNESS_KNOWLEDGE_PRIV_H
#define WITNESS_KNOWLEDGE_PRIV_H

#include "witness/evidence_priv.h"
#include "witness/knowledge.h"

struct knowledge_step {
	uint64_t pos, events;
	uint32_t tid;
	uint32_t count; /* it is the thread's event number count */
	int64_t block;	/* open ones */
};

/* What carries the pasts of others: of those who have written it (or released ...), and of those who have read it. */
struct knowledge_carrier {
	uint32_t writes, reads; /* indices in pasts; 0: nobody */
	uint64_t count,
		latest; /* gives so far, and the position that is latest in the recorded run of them */
};

struct knowledge_mover {
	VEC(uint32_t) steps;
	struct value locals[SPEC_VARIABLES];
	uint32_t depth;
	int64_t blocks;
};

struct knowledge {
	const struct evidence *ev;
	const struct view *view;
	const struct spec *spec;
	bool text;
	uint32_t nthreads, width;	  /* width: of a past, threads and then variables */
	VEC(struct knowledge_step) steps; /* [0] unused */
	VEC(uint32_t) pasts;		  /* by step, then of carriers: width each */
	uint32_t npasts;
	VEC(struct value) locals; /* by step: of all variables */
	VEC(struct value) writes[SPEC_VARIABLES];
	VEC(struct knowledge_mover) movers;
	VEC(struct knowledge_carrier) carriers;
	struct map carrier_at, step_at;
	struct map posts_at; /* waits of semaphores: posts before them in the recorded run */
	uint32_t last;	     /* step of the last event; 0: it was none */
	uint64_t asked;	     /* of the present verdict */
	uint64_t work;	     /* of those before */
	bool is_open;	     /* something in it is not known */
	const char *why;     /* nothing can be said any more */
	const char *once;    /* of this verdict */
};

static inline uint32_t *knowledge_past(struct knowledge *k, uint32_t index)
{
	return &k->pasts.at[(size_t)index * k->width];
}

static inline uint32_t knowledge_step_of(const struct knowledge *k, uint64_t pos)
{
	const uint64_t *at = pos ? map_get(&k->step_at, pos) : NULL;

	return at ? (uint32_t)*at : 0;
}

#endif /* WITNESS_KNOWLEDGE_PRIV_H */
