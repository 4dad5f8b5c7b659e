/*
 * A plan in the making: the events of the order, in the order of the trace.
 *
 *	collect.h	the trace is read, and they are taken from it
 *	identity.h	what each is known by in another run
 *	edges.h		who waits for whom
 *	plan.c		what of that goes into the plan
 *
 * Events, threads and so on are known by their place in these tables.
 *
 * Ownership: draft_release frees what a draft holds.
 */
#ifndef REPLAY_DRAFT_H
#define REPLAY_DRAFT_H

#include "base/common.h"
#include "trace/plan.h"

#define DRAFT_NONE UINT32_MAX
#define DRAFT_MOST (UINT32_MAX / 4) /* events of an order */

struct draft_item {
	uint64_t pos, tseq, addr, len;
	uint64_t value; /* has_value: the bytes, of those with at most 8 */
	uint32_t flags; /* EVENT_* */
	uint32_t thread;
	uint32_t number; /* within its thread, from 0 */
	uint32_t next;	 /* of its thread */
	uint32_t rank;	 /* in the order; a target: behind it */
	uint32_t site, key;
	uint32_t life; /* of its memory or object: what was allocated there last */
	/* FORK, JOIN: the other thread.  WAKE: the signal.  A release in a wait: the PARK, where the
	 * order has it not. */
	uint32_t peer;
	uint32_t head; /* RANGE, FREE: the first piece of the call; itself */
	uint32_t arg;  /* BAR_*: the round */
	uint8_t op, order;
	uint8_t kind; /* GIVE, TAKE: of channel; BAR_OUT: FORMAT_BAR_* */
	bool has_value, target;
	bool extra; /* a PARK that the order has not */

	/* identity.h */
	uint8_t class;	 /* enum plan_class; NONE also of reads and vain calls that are not new */
	uint32_t solids; /* of its thread before it */
	uint32_t epoch;
	uint32_t nth;
	bool polls;    /* READ: it is new, if at all, because what it reads has changed */
	bool unsure;   /* READ: ... and what it was changed to is not known */
	uint32_t gate; /* the next event of its thread that has a gate; of a call only one has */
	bool far;      /* a signal comes before that */

	bool look, step;      /* plan.c */
	uint32_t step_number; /* of its thread */
	uint32_t pace;	      /* of those at which somebody wants to stop, from 1; 0: none */
};

/* A word that a thread has read, in an epoch. */
struct draft_word {
	uint32_t epoch;
	uint8_t mask, known; /* bytes: read; of known value */
	uint16_t places;     /* where: format_place_bit */
	uint8_t value[8];
	uint32_t rank[8]; /* when */
};

struct draft_thread {
	uint32_t tid;
	int32_t maker; /* a thread, or PLAN_FIRST, PLAN_ADOPTED */
	uint32_t ordinal, nforks;
	bool failed; /* it was never made */
	bool ends;

	uint32_t events; /* of its part */
	uint32_t first, last, target;
	uint32_t fork; /* event */
	bool reading;  /* its part ends in an epoch with reads */

	/* beyond.h */
	bool past;		  /* an event has been seen that is not of its part */
	bool followed;		  /* and one that may have a gate: */
	struct draft_item follow; /* that */
	bool closed;		  /* the end of the epoch has been seen */
	struct map lasting;	  /* words that were read beyond the part as they were in it */
	bool awaited;		  /* collect.c */

	/* identity.h */
	uint32_t solids, epoch, tail;
	VEC(uint32_t) keys;
	struct map counts; /* class and key: the count of solids, and how many since */
	struct map seen;   /* word: in words */
	VEC(struct draft_word) words;
	uint32_t vain_solids; /* + 1 */
	uint64_t vain_what;

	uint32_t index, nsteps; /* plan.c */
};

/* `to' waits for `from'; arrive: only until that thread comes to its next gate after it. */
struct draft_edge {
	uint32_t from, to;
	bool arrive;
};

struct draft {
	VEC(struct draft_item) items;
	VEC(uint32_t) order;
	VEC(struct draft_thread) threads;
	VEC(struct draft_edge) edges;
	uint64_t loose; /* edges that cannot be held: into the middle of one call */
	bool places;	/* a read is new at each place (struct plan_head) */
};

void draft_release(struct draft *d);

/* When identities are known: has it a gate, at which its thread can be held? */
static inline bool draft_has_gate(const struct draft_item *it)
{
	return it->class != PLAN_NONE && it->class != PLAN_SIGNAL;
}

/* Of the pieces of a call, which one stands for the whole: the target if it is among them, else the
 * first.  Of others, themselves. */
uint32_t draft_whole(const struct draft *d, uint32_t item);

/*
 * Nobody can wait for an event without a gate, but until its thread arrives at the next one.  Does it
 * arrive there whatever others do?  Not if that is a read that waits for a change: at its gate nobody
 * can tell that it is the one.  Nor if it is in a signal handler, which waits for the signal.
 */
bool draft_arrives(const struct draft *d, const struct draft_item *it);

#endif /* REPLAY_DRAFT_H */
