/*
 * A run as a network of processes that communicate (CSP), after Carril and Tichy (NFM 2015): one process
 * for each thread, and one for each lock, semaphore, fork, join and hard edge that keeps threads from
 * going on.  Data is not part of it.  A check takes a variable and two threads, and asks whether the
 * network can come where both are before accesses of it that conflict.
 *
 * foresee export --to csp writes the network as text (export/csp.h), the engine `csp' searches it.
 *
 * Left out, so that more is possible than in the program: what reads saw, that a signal finds its waiter
 * asleep, and that objects are made before they are used and not after their end.
 *
 * Ownership: csp_new borrows model and causal.  Threads: read-only after csp_new, but for searches.
 */
#ifndef COMPARE_CSP_H
#define COMPARE_CSP_H

#include "order/causal.h"
#include "order/model.h"
#include "predict/goal.h"

struct engine_options;
struct exact_order;
struct finding;

/*
 * What a thread does between two of its items (below) is one segment: its first item ends segment 0.
 * Of the accesses of a variable in a segment those are kept that can meet all the others can.
 */
struct csp_access {
	uint32_t e, segment;
};

/* A variable (a cell stands for all that are always touched with it) and two threads. */
struct csp_check {
	uint32_t cell;
	uint32_t tid[2];
};

struct csp {
	const struct model *m;
	const struct causal *hard; /* CAUSAL_HARD */
	/* Items: events at which a thread may have to wait, or that others wait for. */
	uint32_t *items;   /* event ids, chain by chain */
	uint32_t *start;   /* [nchains + 1]: into items */
	uint32_t *end;	   /* [nchains]: items that can happen: before a STOP */
	uint32_t *segment; /* [n + 1]: items of its chain before the event */
	bool *is_tried;	   /* [nlocks]: some try of it has failed */
	bool *is_tested;   /* [nsems]: the same */
	bool counts;	   /* some item is a try that failed, or a matter of a semaphore */
};

struct csp *csp_new(const struct model *m, const struct causal *hard);
void csp_free(struct csp *c);

static inline bool csp_is_item(const struct csp *c, uint32_t e)
{
	uint32_t chain = c->m->event[e].chain;
	uint32_t at = c->start[chain] + c->segment[e];

	return at < c->start[chain + 1] && c->items[at] == e;
}

/* It reads or writes memory, and may be one of the two of a race. */
static inline bool csp_is_access(const struct model_event *e)
{
	return e->op >= STEP_READ && e->op <= STEP_FREE && !(e->flags & STEP_SHADOW);
}

/* It makes or ends a lock: an acquire by the model, and none here. */
static inline bool csp_leaves_out(const struct model_event *e)
{
	return e->flags & STEP_RENEWS;
}

struct csp_accesses {
	VEC(struct csp_access) at;
};
/* What is kept of the thread's accesses of the cell, in order. */
void csp_accesses(const struct csp *c, uint32_t cell, uint32_t tid, struct csp_accesses *out);

struct csp_checks {
	VEC(struct csp_check) at; /* by cell, then threads */
	uint64_t left_out;	  /* some of them, for want of time */
};
/* Those in which two accesses conflict, neither must come before the other, and no lock keeps them apart.
 * all: it is enough that they conflict. */
void csp_checks(const struct csp *c, bool all, struct csp_checks *out);

/* One explicit search, breadth first. */
struct csp_result {
	uint32_t event[2];
	uint64_t states;
};
/* FOUND: *out leads before both of event.  REFUTED: the network never comes there.  UNDECIDED: there are
 * more states than `most', or opt->stop was set. */
enum goal_outcome csp_search_check(const struct csp *c, const struct csp_check *check,
				   uint64_t most, const struct engine_options *opt,
				   struct csp_result *result, struct exact_order *out);

/* Does the network allow what is in the cut, in observed order, up to before both events?  Closures know locks, but
 * nothing of what was counted, or tried in vain. */
bool csp_allows(const struct csp *c, const uint32_t *event, const uint32_t *cut);

/*
 * After the checker has refused the order of a finding of `csp': by exact search, is there another one, to
 * any two accesses of that variable by these threads?  FOUND: the finding has it, and those accesses.
 */
struct csp_retry;
struct csp_retry *csp_retry_new(const struct model *m, const struct engine_options *opt);
void csp_retry_free(struct csp_retry *r);
enum goal_outcome csp_retry(struct csp_retry *r, struct finding *f);

#endif /* COMPARE_CSP_H */
