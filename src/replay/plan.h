/*
 * From the order of a witness to the plan that forces it on the program: trace/plan.h.
 *
 * What is enforced is what the order needs and no more: edges between threads whose events conflict or
 * synchronise, without those that follow from others; where each thread stops; what a call that
 * failed must come to.
 *
 * Ownership: plan_release frees what a plan holds.
 */
#ifndef REPLAY_PLAN_H
#define REPLAY_PLAN_H

#include "base/common.h"
#include "finding/finding.h"
#include "trace/plan.h"

struct tape;
struct trace;

/* Positions, all of them. */
struct plan_ask {
	enum finding_kind kind;
	const uint64_t *targets; /* those that the order has do not stand at the point */
	uint32_t ntargets;
	const uint64_t
		*order; /* that the checker has accepted; of a race it may end with the targets */
	size_t norder;
	/* Of a property: the events of the order that it looks at, in their order.  They are steps, each
	 * waits for the one before. */
	const uint64_t *looks;
	size_t nlooks;
	/* Events of the order before which somebody wants to stop.  They are steps, each waits for the one
	 * before. */
	const uint64_t *paced;
	size_t npaced;
	/* The events of the trace, up to its end; NULL: it is at its beginning, and is read from there. */
	const struct tape *tape;
};

/* Of a property: a step that writes what it looks at, as it was recorded. */
struct plan_look {
	uint64_t addr, len;
	uint64_t step; /* of all */
	uint32_t rank; /* in the order */
};

/* The file: `size' bytes from head on, seats zeroed. */
struct plan {
	struct plan_head *head;
	size_t size;
	uint64_t events; /* of the order */
	uint64_t edges;	 /* waits of one thread for another */
	/* Of those that the order needs, so many are not in it: they lead into the middle of one call, which
	 * happens as a whole. */
	uint64_t loose;
	VEC(struct plan_look) looks;
	bool looks_whole;    /* of no other look is it unknown what it wrote */
	VEC(uint64_t) paced; /* of the events asked for those that have a gate, in their order */
};

/* ST_BAD_INPUT: none can be made, the diag says why. */
enum status plan_make(struct trace *t, const struct plan_ask *ask, struct plan *out,
		      struct diag *d) ST_CHECKED;
void plan_release(struct plan *p);

/* Doubt: a target of which it is not certain that it is new is taken for what comes at its place, new or
 * not, as another try may need; and other such reads are waited with before they are new. */
void plan_doubt(const struct plan *p, bool doubt);

/* Can anything of this trace be replayed?  ST_BAD_INPUT: no, the diag says why.  plan_make does not
 * ask. */
enum status plan_suits(const struct trace *t, struct diag *d) ST_CHECKED;

/* Are the program and its libraries those that were recorded, by their build ids?  `program' is the file
 * that would be run instead of the recorded one, or that.  ST_IO: no, the diag says which is not. */
enum status plan_suits_program(struct trace *t, const char *program, const char *trace,
			       struct diag *d) ST_CHECKED;

/* What a plan says, one line for each thread, step and wait. */
void plan_text(const struct plan *p, struct strbuf *out);

/* The tables of a plan, mapped or made. */
static inline void *plan_table(const struct plan_head *h, uint64_t at)
{
	return (char *)(uintptr_t)h + at;
}

static inline struct plan_thread *plan_threads(const struct plan_head *h)
{
	return plan_table(h, h->threads);
}

static inline struct plan_step *plan_steps(const struct plan_head *h)
{
	return plan_table(h, h->steps);
}

static inline struct plan_wait *plan_waits(const struct plan_head *h)
{
	return plan_table(h, h->waits);
}

static inline uint32_t *plan_keys(const struct plan_head *h)
{
	return plan_table(h, h->keys);
}

static inline struct plan_input *plan_inputs(const struct plan_head *h)
{
	return plan_table(h, h->inputs);
}

static inline struct plan_seat *plan_seats(const struct plan_head *h)
{
	return plan_table(h, h->seats);
}

static inline const uint64_t *plan_touched(const struct plan_head *h)
{
	return plan_table(h, h->touched);
}

#endif /* REPLAY_PLAN_H */
