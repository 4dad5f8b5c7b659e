/*
 * Condition variables: waits that nobody ends.
 *
 *	lost-wakeup		the signal comes when nobody waits yet, and then the wait begins
 *	wait-holding-lock	a thread waits, or is about to, with a second lock held, which the
 *				thread that is to signal asks for first
 *
 * Sound as far as `claimed' goes: then the schedule leads there, every signal that another thread
 * sent is part of it, and none of those threads can come to send one more.  Where that is not so
 * the finding has reasons against it in `why', or the checker gives them.
 */
#ifndef PREDICT_WAITS_PRIV_H
#define PREDICT_WAITS_PRIV_H

#include "base/common.h"
#include "predict/engine.h"
#include "predict/osr.h"

/* ---- the waits and signals of a model (waits_index.c) ---- */

/* One condition wait.  Waiting lasts from `release' to `wake', both event ids. */
struct waits_wait {
	uint32_t release; /* of the mutex, part of the call; the PARK itself when not recorded so */
	uint32_t park;
	uint32_t wake; /* 0: it never came back, or nobody knows when */
	uint32_t by;   /* the signal that woke it; 0 none that is known */
	uint32_t condition;
};

/* The signals of one condition that one chain sent, in order. */
struct waits_sender {
	uint32_t chain;
	uint32_t first, n; /* in signals */
};

struct waits_index {
	VEC(struct waits_wait) waits; /* by condition, then in trace order */
	VEC(uint32_t) signals;	      /* event ids by condition, chain, trace order */
	VEC(struct waits_sender) senders;
	uint32_t nconditions;
	uint32_t *wait_start;	/* [nconditions + 1], into waits */
	uint32_t *sender_start; /* the same, into senders */
	/* [nconditions]: a wait that is not timed ended without a signal that is known */
	uint8_t *unexplained;
	VEC(uint32_t) requests; /* of locks, where a thread's recording ends: it hung there */
};

/* Those that send to a condition: from this one up to that of the next condition. */
static inline const struct waits_sender *waits_senders(const struct waits_index *x,
						       uint32_t condition)
{
	return x->senders.n != 0 ? x->senders.at + x->sender_start[condition] : NULL;
}

void waits_index_make(struct waits_index *x, const struct model *m);
void waits_index_release(struct waits_index *x);

/* The wait may be what a thread is stuck in: it is recorded whole and not timed. */
bool waits_can_last(const struct model *m, const struct waits_wait *w);
/* The event after e, or before it, of the same thread; 0 none. */
uint32_t waits_after(const struct model *m, uint32_t e);
uint32_t waits_before(const struct model *m, uint32_t e);
/* How many of a list come before e. */
uint32_t waits_count_before(const uint32_t *at, uint32_t n, uint32_t e);
/* Somebody waits for the thread: it is the first one, or a join that never came back names it.  So
 * if it hangs the program does, and it was not merely left behind when the program ended. */
bool waits_is_missed(const struct model *m, uint32_t tid);

/* ---- a few instances of each key, from many (waits.c) ---- */

struct waits_item {
	uint32_t a, b;
};

struct waits_pick {
	uint64_t key;
	uint64_t n;			   /* all that were met */
	struct waits_item at[LIMIT_TRIES]; /* half of them first ones and half last ones */
};

struct waits_picks {
	struct map by_key; /* 1 + index in at */
	VEC(struct waits_pick) at;
};

void waits_picks_release(struct waits_picks *p);
void waits_picks_add(struct waits_picks *p, uint64_t key, struct waits_item item);
/* How many are kept; number i of them, the last one met first. */
uint32_t waits_pick_count(const struct waits_pick *p);
struct waits_item waits_pick_get(const struct waits_pick *p, uint32_t i);

/* ---- searching (waits.c) ---- */

struct waits {
	const struct model *m;
	const struct causal *strict, *c; /* c: as the options say */
	const struct causal *must;	 /* as c, for who counts */
	struct engine_options opt;
	const struct engine *engine;
	struct engine_result *out;
	struct waits_index index;
	struct osr *osr_strict, *osr; /* osr: NULL when it would be the same */
	struct exact *exact;
	uint32_t *cut;
	struct exact_order order; /* what was found last */
	struct map at;		  /* of that: 1 + number of an event in ids */
	uint64_t steps;		  /* of exact search for the signature at hand */
	uint64_t all_steps;	  /* the same of all signatures */
	uint64_t undecided;
	bool full;
};

/* FOUND: s->order reaches the goal. */
enum goal_outcome waits_reach(struct waits *s, const struct goal *g);

/* ---- what was found (waits_order.c) ---- */

/* s->order was set. */
void waits_order_note(struct waits *s);
/* The event is part of s->order. */
bool waits_is_in(const struct waits *s, uint32_t e);
/* In s->order nobody waits on the condition of the signal when it is sent. */
bool waits_is_unheard(const struct waits *s, uint32_t signal);
/* In s->order no signal of its condition comes once the wait has begun; the wait is begun later for
 * that, if it can be.  Precondition: its park is the last event of its thread there. */
bool waits_is_quiet(struct waits *s, const struct waits_wait *w);

/* ---- who could still signal (waits_signals.c) ---- */

enum waits_proof {
	WAITS_SURE,	 /* every signal is in s->order, and nobody comes to send one more */
	WAITS_MORE_LEFT, /* others are left, which may end the wait */
	WAITS_NOT_OVER,	 /* all are in, but somebody may send one more */
};

/* A wait and what it is tried with. */
struct waits_case {
	const struct waits_wait *wait;
	struct goal goal;
	uint32_t signal; /* that must be unheard; 0 none */
	bool is_parked;	 /* the wait has begun: its park is in goal.done */
};

/* s->order, which reaches the goal, is right in what a goal cannot say. */
bool waits_case_holds(struct waits *s, const struct waits_case *c);

/*
 * Is the wait for ever?  Signals that the threads of goal.next send are left out.
 * Precondition: s->order reaches the goal; it still does afterwards, perhaps another one.  SURE:
 * the case holds in it too.
 */
enum waits_proof waits_prove(struct waits *s, const struct waits_case *c);

/* ---- results (waits.c) ---- */

/* A finding of two events, with s->order; with a reason against it: without. */
void waits_propose(struct waits *s, enum finding_kind kind, uint32_t e1, uint32_t e2,
		   const char *why);
/* The same; the reason against it, if there is one, is that the proof says so. */
void waits_tell(struct waits *s, enum finding_kind kind, uint32_t e1, uint32_t e2,
		enum waits_proof proof);
/* A signature is done. */
void waits_count(struct waits *s, enum goal_outcome outcome);
/* No more is wanted. */
bool waits_is_over(const struct waits *s);

static inline uint64_t waits_key(const struct model *m, uint32_t e1, uint32_t e2)
{
	return (uint64_t)m->event[e1].site << 32 | m->event[e2].site;
}

void waits_lost(struct waits *s);    /* waits_lost.c */
void waits_holding(struct waits *s); /* waits_holding.c */

#endif /* PREDICT_WAITS_PRIV_H */
