/*
 * The search for blocks that another thread can split (doc/ENGINES.md, atomicity).
 *
 * A pattern is four accesses: a before c in one block of a thread, b and d of another thread, a and b
 * in conflict, d and c in conflict.  In the reordering looked for a comes before b and d before c, so
 * there is a way out of the block and back.
 *
 *	triple	b is d, and all are of one cell
 *	S	b before d in their thread, two cells
 *	X	d before b in their thread, both in one block, two cells
 *
 * The unit is the group: all patterns with the same places.  With all_pairs it is one pattern.
 */
#ifndef PREDICT_ATOMICITY_PRIV_H
#define PREDICT_ATOMICITY_PRIV_H

#include "order/model.h"
#include "predict/blocks.h"
#include "predict/engine.h"

struct gap;
struct osr;

#define ATOMICITY_BLOCK 10u
/* Groups that are reported: who has so many does not read more, and each is checked along its whole
 * schedule. */
#define ATOMICITY_SHOWN 50u

/* What a block must be worth to be looked at, without all_blocks; and a marked one is. */
#define ATOMICITY_SCORE 50u
#define ATOMICITY_MARKED 100u

struct atomicity_tuple {
	uint32_t a, b, d, c;   /* events; d == b of a triple */
	uint16_t block, score; /* enum finding_block; of one that was guessed */
};

struct atomicity_group {
	struct atomicity_tuple at[LIMIT_TRIES];
	uint32_t n;
	bool complete;	 /* there are no others that nothing speaks against */
	uint16_t score;	 /* the highest; of marked blocks ATOMICITY_MARKED */
	uint32_t number; /* in the order in which they were met */
	uint32_t end;	 /* of the pattern that is over first: its last event */
	enum goal_outcome outcome;
	uint32_t found; /* FOUND: which */
};

/* What one thread works with; made when first needed. */
struct atomicity_hand {
	struct osr *strict, *osr;
	struct gap *gap;
	struct exact *exact;
};

struct atomicity {
	const struct engine *engine;
	const struct engine_options *opt;
	const struct model *m;
	struct engine_result *out;
	struct blocks blocks;
	bool *is_shared; /* by cell: several chains touch it, and one writes */
	const struct causal *hard;
	const struct causal *strict, *c; /* c: by the facts of the trace; strict: NULL if c is */
	const struct causal *tight;	 /* what exact search goes by; then, with tests: */
	const struct causal *must;
	struct atomicity_hand *hands;
	VEC(struct atomicity_group) groups;
	struct map index; /* signature, or hash of the events, to 1 + number of its group */
	bool full;	  /* no room for more groups */
	bool some;	  /* not all accesses of other threads were looked at */
	size_t first;	  /* of the groups that are being tried */
	struct exact_order orders[ATOMICITY_BLOCK];
};

/* atomicity_gather.c: fills groups. */
void atomicity_gather(struct atomicity *x);

/* The pattern goes to its group, unless something speaks against it. */
void atomicity_add(struct atomicity *x, const struct atomicity_tuple *t);

/* Triples of an access p of a cell, the next one c of the same thread, and accesses of others near them
 * that write or that only read: places in the list of the cell.  like: block and score. */
void atomicity_add_gap(struct atomicity *x, struct model_list cell, uint32_t p, uint32_t c,
		       bool writes, const struct atomicity_tuple *like);

/* atomicity_pairs.c: those of two cells. */
void atomicity_gather_pairs(struct atomicity *x);
/* One such pattern, if it is one. */
void atomicity_add_pair(struct atomicity *x, const struct atomicity_tuple *t);

/* infer.c: patterns of blocks that are guessed.  infer_pairs.c: those of two cells. */
void infer_gather(struct atomicity *x);
void infer_pairs(struct atomicity *x);
/* A wait between two events of a thread, where somebody else has to run. */
bool infer_waits(const struct model *m, uint32_t a, uint32_t b);
/* Both lie in marked blocks: what belongs together there is said. */
bool infer_is_marked(const struct atomicity *x, uint32_t a, uint32_t c);
/* Both lie in one and the same section. */
bool infer_is_one_section(const struct model *m, uint32_t a, uint32_t b);
/* The acquire of the outermost section that an event lies in; 0 it lies in none. */
uint32_t infer_outermost(const struct model *m, uint32_t e);

/* atomicity_try.c: the last event of a pattern in the recorded run. */
uint32_t atomicity_end(const struct atomicity_tuple *t);

/* atomicity_gap.c: by orders in which two threads take turns once; FOUND or SEARCHED. */
enum goal_outcome atomicity_gap(const struct atomicity *x, struct gap *gap,
				const struct atomicity_tuple *p, struct exact_order *out);

/* Another thread writes what the read saw, behind it and before event `to' in that order. */
bool atomicity_is_written(const struct model *m, const struct exact_order *o, uint32_t read,
			  uint32_t to);

/* atomicity_looks.c: the pattern is in that order, and what the threads ask for says so. */
bool atomicity_is_noticed(const struct atomicity *x, const struct atomicity_tuple *t,
			  const struct exact_order *o);

/* Work of a pool over a block of groups. */
void atomicity_try(void *arg, size_t i, unsigned worker);

/* X. */
static inline bool atomicity_is_cross(const struct model *m, const struct atomicity_tuple *t)
{
	return m->event[t->d].index < m->event[t->b].index;
}

/* It has to see what it saw wherever it runs, and what it does then others see. */
static inline bool atomicity_is_tied(const struct atomicity *x, uint32_t e)
{
	const struct model_event *v = &x->m->event[e];
	bool free = (v->flags & STEP_FREE_READ) && !(v->flags & STEP_STOP);

	return v->op == STEP_RMW && !(free && !x->opt->strict);
}

#endif /* PREDICT_ATOMICITY_PRIV_H */
