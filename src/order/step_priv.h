/*
 * The state behind steps_next, shared by the files that turn events into steps: step.c (accesses,
 * threads, batches), step_object.c (what lies at an address), step_lock.c and step_wait.c.
 *
 * An event is turned by one function, which adds one step or more with step_add, in order, and
 * step_note for what is no event.
 */
#ifndef ORDER_STEP_PRIV_H
#define ORDER_STEP_PRIV_H

#include "order/bytes.h"
#include "order/cells.h"
#include "order/chains.h"
#include "order/freed.h"
#include "base/keyset.h"
#include "order/places.h"
#include "order/step.h"
#include "trace/event.h"

/* An event of a chain. */
struct step_point {
	uint32_t chain;
	uint64_t pos;
};

struct lock_reader {
	uint32_t tid, depth;
	uint64_t pos;
};

struct lock_fail {
	uint32_t holder; /* tid */
	uint32_t chain;
	uint64_t pos;
};

#define LOCK_UNUSED UINT32_MAX /* as its id: nobody has asked for it yet */

struct object_lock {
	uint32_t id;
	uint32_t family;	    /* order/places.h */
	uint32_t owner, depth;	    /* owner: tid, 0 nobody */
	uint64_t pos;		    /* of the owner's acquire */
	struct step_point newcomer; /* who had it while another did; pos 0: nobody */
	VEC(struct lock_reader) readers;
	VEC(struct lock_fail) fails; /* tries that failed, of sections that are open */
};

/* Latest wait of a thread, or how it ended. */
struct object_guest {
	uint32_t tid;
	uint64_t pos;
};

struct object_guests {
	VEC(struct object_guest) at;
	bool crowded; /* not all are kept */
};

struct cond_signal {
	uint32_t tid, channel;
	uint64_t tseq, pos;
	bool used; /* a signal that has woken somebody */
};

struct object_cond {
	uint32_t id;
	struct object_guests guests;
	VEC(uint64_t) waits;		 /* positions of those that are parked, ascending */
	VEC(struct cond_signal) signals; /* the same */
};

struct barrier_round {
	uint64_t generation;
	uint32_t channel, in, out;
};

struct object_barrier {
	struct object_guests guests;
	VEC(struct barrier_round) rounds;
};

struct sem_posted {
	uint32_t chain;
	size_t nfails; /* as many of the fails have a guard with a post of this chain */
};

struct object_sem {
	uint32_t id;
	bool known; /* credit is what the program began with, less what was taken */
	uint64_t credit;
	VEC(uint32_t) posts; /* channels; those from `head' on are not taken yet */
	size_t head;
	uint64_t untold;	      /* posts after those, which have no channel */
	VEC(struct step_point) waits; /* the latest of each chain */
	VEC(struct step_point) fails; /* all */
	VEC(struct sem_posted) guard; /* by chain */
};

struct object_once {
	bool done;
	uint32_t channel;
};

struct object {
	uint64_t addr;
	enum event_object family; /* EVENT_OBJECT_NONE: not in use */
	bool mapped;		  /* found by its address; else only threads parked on it know it */
	uint32_t maker;		  /* who has made it; 0: nobody we saw */
	uint64_t made;		  /* with which event */
	union {
		struct object_lock lock;
		struct object_cond cond;
		struct object_barrier barrier;
		struct object_sem sem;
		struct object_once once;
	};
};

struct step_range {
	uint64_t tseq;
	uint32_t n;
	bool more; /* goes on where the one before ended */
};

#define JOIN_FAILS_MAX 64u /* joins of one thread that were in vain, kept */

struct step_thread {
	bool ended;
	VEC(struct step_point) join_fails; /* joins of it that came before it had ended */
	/* What its next event comes after; is_in_doubt: not all of that is known. */
	VEC(struct step_point) debts;
	bool is_in_doubt;
	uint32_t parked; /* condition, index + 1; 0: not parked */
	uint64_t park_pos;
	/* Ranged reads, which have a number for every word, in order. */
	VEC(struct step_range) ranges;
	uint64_t range_end;	 /* where the last one ended */
	uint64_t ranges_dropped; /* numbers below this are not known any more */
};

struct step_span {
	uint64_t addr, last;
};

struct steps {
	struct trace *trace;
	struct step_options opt;
	enum status ended; /* ST_OK: not yet */
	struct diag why;

	struct chains chains;
	struct cells cells;
	struct places places;
	struct bytes bytes_seen;
	struct freed freed;		 /* memory without an owner */
	VEC(struct step_span) untracked; /* bytes of accesses too long to follow */
	VEC(struct step_thread) threads; /* [tid] */

	VEC(struct object) objects;
	VEC(uint32_t) unused; /* objects */
	struct map by_addr;
	struct keyset addrs;
	uint32_t nlocks, nconditions, nsems;
	uint32_t nhidden;  /* cells that are no variables: lives, and what stands for freed bytes */
	uint32_t ndebtors; /* threads whose next event comes after something */
	uint32_t nchannels;
	VEC(uint32_t) channels_again;

	/* The event in hand. */
	struct step base;   /* what all its steps have in common */
	bool strange;	    /* a read of what unseen code wrote */
	uint64_t nstrange;  /* such reads that stopped their threads */
	unsigned next_flag; /* for its next step: STEP_MORE after the first */

	VEC(struct step) batch;
	VEC(uint64_t) feeds;
	VEC(struct step_test) tests;
	VEC(uint8_t) bytes;
	size_t ndropped; /* of cells.dropped, those that have become steps */
};

/* A step of the event in hand; good until the next one. */
static inline struct step *step_add(struct steps *s, enum step_op op, unsigned flags)
{
	struct step *st;

	if (__builtin_expect(s->batch.n == s->batch.capacity, 0))
		VEC_RESERVE(&s->batch, s->batch.n + 1);
	st = &s->batch.at[s->batch.n++];
	*st = s->base;
	st->op = (uint8_t)op;
	st->flags = (uint16_t)(flags | s->next_flag);
	s->next_flag = STEP_MORE;
	return st;
}

/* What is no event: SPLIT, DROP, FORGET, LEFT, ENTERED.  May come before the first step of the event. */
static inline struct step *step_note(struct steps *s, enum step_op op, uint32_t obj)
{
	unsigned flag = s->next_flag;
	struct step *st;

	s->next_flag = STEP_MORE;
	st = step_add(s, op, 0);
	st->obj = obj;
	s->next_flag = flag;
	return st;
}

/* The event in hand comes after the one at pos, of that chain (CHAINS_NONE: not known).  flags: 0 or
 * STEP_PAIRED. */
void step_after(struct steps *s, uint64_t pos, uint32_t chain, unsigned flags);
/* chain: of `from'. */
void step_guard(struct steps *s, uint64_t when, uint64_t from, uint32_t chain, uint64_t to,
		unsigned flags);

struct step_thread *step_thread(struct steps *s, uint32_t tid);

/* ---- step_freed.c ---- */

/* Where the life of the object at addr is kept: no memory lies in the upper half. */
#define STEP_LIVES ((uint64_t)1 << 63)

/* The splits of the touch just made, and those by which a fresh cell gets what FREE has written. */
void step_splits_add(struct steps *s);
void step_free_event(struct steps *s, const struct event *e);
/* Memory begins anew: a block, a local variable, a thread's stack. */
void step_fresh_event(struct steps *s, const struct event *e);

/* ---- step_object.c ---- */

uint32_t step_channel_new(struct steps *s);
void step_channel_forget(struct steps *s, uint32_t channel);

/* The object of that family at addr, good until the next one is made.  An object of another
 * family there is ended. */
struct object *step_object_get(struct steps *s, uint64_t addr, enum event_object family);
/* The same, but NULL when there is none. */
struct object *step_object_find(struct steps *s, uint64_t addr, enum event_object family);
/* Before the steps of an event: its first one uses the object at addr; or makes it, or ends it. */
void step_object_use(struct steps *s, uint64_t addr);
void step_object_renew(struct steps *s, uint64_t addr, bool ends);
/* An init of e->addr: a new object there, made in this event. */
void step_object_make(struct steps *s, const struct event *e);
/* A destroy of what lies at e->addr, but for locks (step_lock.c). */
void step_object_destroy(struct steps *s, const struct event *e);
/* e is a wait, or the end of one. */
void step_object_visit(const struct event *e, struct object_guests *g);
/* What the thread's last event has left to this one: how much that is, before its steps, and after
 * them so many.  *lost is set when not all of it is known. */
size_t step_debts_take(struct steps *s, uint32_t tid, bool *lost);
void step_debts_pay(struct steps *s, uint32_t tid, size_t n);
/* Whatever lies there is over; a later use is of a new object.  key: its address; of a channel, key_of. */
void step_object_end(struct steps *s, uint64_t key);
void step_objects_end(struct steps *s, uint64_t addr, uint64_t len);
/* Frees an object that is no longer mapped. */
void step_object_discard(struct steps *s, uint32_t index);
void step_objects_release(struct steps *s);

/* ---- step_lock.c, step_wait.c ---- */

void step_lock_event(struct steps *s, const struct event *e);
void step_cond_event(struct steps *s, const struct event *e);
void step_barrier_event(struct steps *s, const struct event *e);
void step_sem_event(struct steps *s, const struct event *e);
void step_once_event(struct steps *s, const struct event *e);
void step_channel_event(struct steps *s, const struct event *e);

#endif /* ORDER_STEP_PRIV_H */
