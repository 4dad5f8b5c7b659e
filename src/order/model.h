/*
 * A trace held in memory, as the engines that look at whole reorderings need it: per chain the
 * events in order, per cell its accesses, per lock its sections, per read the write it saw.
 *
 * Events have ids 1 .. n; id i is the event at trace position m->base + i (base is 0 when the
 * whole trace is held).  0 stands for "none", and for the initial value where a write is named.
 *
 * A cut is an array of nchains counters: how many events of each chain are in.  Every set of
 * events an engine considers is one.
 *
 * Ownership: a model owns all it points to; read-only after model_finish (but for what
 * model_held_set makes), so any number of threads may use it.
 */
#ifndef ORDER_MODEL_H
#define ORDER_MODEL_H

#include <signal.h>

#include "order/step.h"

#define MODEL_HAS_PREDS 0x4000u	 /* in flags, beside STEP_*: model_preds() is not empty */
#define MODEL_HAS_GUARDS 0x8000u /* some guard's when, from or to */

/* Before the event a call of a function that is meant to be atomic has ended, has begun. */
#define MODEL_LEFT 1u
#define MODEL_ENTERED 2u

struct model_event {
	uint32_t chain, index; /* the event is number `index', from 0, of its chain */
	uint32_t tid;
	/* Lock family, REQ, RREQ, BUSY: lock; FORK, JOIN, JOINING: the other chain; PARK, NOTIFY:
	 * condition; POST, TAKE, ZERO: semaphore */
	uint32_t obj;
	/* ACQ, RACQ: its release (RENEWS: itself), 0 none; releases: the acquire; FORK, JOIN, JOINING: the other's tid */
	uint32_t partner;
	uint32_t hold;	/* what the thread holds just before it, into m->holds; 0 nothing */
	uint32_t touch; /* first of its touches; they end where those of id + 1 begin */
	uint32_t feed;	/* first of its feeds, the same way */
	uint32_t site, stack;
	uint16_t flags; /* STEP_* and MODEL_* */
	uint8_t op;	/* enum step_op */
	uint8_t calls;	/* MODEL_LEFT, MODEL_ENTERED */
};

/* One cell of one access, in the final partition of the bytes. */
struct model_touch {
	uint32_t cell;
	uint32_t seen; /* the latest write to the cell before this event in the trace; 0 initial */
};

/* What a thread holds: a list shared between events, innermost first. */
struct model_hold {
	uint32_t acquire; /* event id */
	uint32_t lock;
	uint32_t next; /* into holds; 0 end */
	bool shared;   /* read mode */
};

/* where event `when' is in, `from' comes before `to' if both are in */
struct model_guard {
	uint32_t when, from, to;
	bool paired; /* as STEP_PAIRED: who counts can do without */
};

/*
 * Reads that are in no record: of the reads that see the same the recorder keeps the first and one that
 * closes their run.  Between those two the others may lie anywhere, and they see what event `id' saw,
 * in all it touches.  So where the events of its chain from number `first' on and before `end' are the
 * last that a reordering has, no other chain may write that before them.
 */
struct model_stay {
	uint32_t first, end; /* UINT32_MAX: the closing read is not in the model, if there is one */
	uint32_t epoch;	     /* first is not below; of those that end later neither */
	uint32_t id;	     /* the closing read, or the first one */
};

struct model_stays {
	const struct model_stay *at; /* by end, and by epoch */
	uint32_t n;
};

/* The POST, TAKE and ZERO of one semaphore by one chain. */
struct model_sem_run {
	uint32_t chain;
	uint32_t n;
	const uint32_t *at; /* event ids */
	/* [n + 1]: so many of the first i are POSTs, TAKEs. */
	const uint32_t *posts, *takes;
};

struct model_sem_runs {
	const struct model_sem_run *at; /* by chain */
	uint32_t n;
};

struct model_list {
	const uint32_t *at; /* event ids, in trace order */
	uint32_t n;
};

/*
 * A comparison, at event `at', of what event `read' has read: `at' is `read' itself, or a USE.  There
 * `read' is bound (it does not have STEP_FREE_READ, or is among the feeds of the USE), which is right for
 * everybody.  Who looks at tests may bind it less: by their outcomes only.  Then it is known to have touched
 * one cell, and its value to be known.
 */
struct model_test {
	uint32_t read, at;
	struct predicate is;
};

struct model_tests {
	const struct model_test *at; /* by read, then by at */
	uint32_t n;
};

struct model {
	uint64_t base;
	uint32_t n; /* events; ids 1 .. n */
	uint32_t nchains, ncells, nlocks, nsems;
	struct model_event *event;   /* [n + 2]: [0] and [n + 1] are sentinels */
	struct model_touch *touches; /* of one event: ascending by cell, each cell once */
	/* Ids of free reads of the same thread, ascending, each once.  0, then the first: a read from
	 * before the model, whose value can never be vouched for. */
	uint32_t *feeds;
	struct model_hold *holds; /* [0] unused */
	uint32_t nholds;
	struct model_guard *guards;
	uint32_t nguards;
	/* By lock: not only its holder releases it, so it is no reason to wait for him. */
	bool *is_loose;
	bool has_accesses;
	bool has_facts; /* some read is free */
	bool has_pairs; /* some event has model_pairs */
	bool has_values;
	struct model_tests tests; /* all; none without values */
	const volatile sig_atomic_t *stop;
	struct model_priv *priv;
};

/* What the touches are: reads, writes.  Not only of accesses: a use of an object reads its life. */
static inline bool model_reads(const struct model_event *e)
{
	return e->op == STEP_READ || e->op == STEP_RMW || (e->flags & STEP_USES);
}

/* The read decides something by itself. */
static inline bool model_binds(const struct model_event *e)
{
	return model_reads(e) && (!(e->flags & STEP_FREE_READ) || (e->flags & STEP_SHADOW));
}

static inline bool model_writes(const struct model_event *e)
{
	return e->op == STEP_WRITE || e->op == STEP_RMW || e->op == STEP_FREE ||
	       (e->flags & STEP_RENEWS);
}

static inline bool model_is_atomic(const struct model_event *e)
{
	return (e->flags & (STEP_ATOMIC | STEP_USES)) && !(e->flags & STEP_RENEWS);
}

/* It may be one of the two events of a race. */
static inline bool model_is_target(const struct model_event *e)
{
	return (model_reads(e) || model_writes(e)) && !(e->flags & STEP_SHADOW);
}

struct model_options {
	bool values;
	uint32_t limit;			   /* most events held; 0: no limit but 2^32 - 16 */
	const volatile sig_atomic_t *stop; /* once it is set nobody waits for answers; or NULL */
};

struct model *model_new(const struct model_options *opt);
/* Takes in a batch (made without `recycle').  False once the limit is reached: the rest of the
 * batch and all further ones are left out. */
bool model_take(struct model *m, const struct step_batch *b);
/* Settles cells, sections, lists.  Call once, before any question below. */
void model_finish(struct model *m);
void model_free(struct model *m);
/* Aborts where a finished model is not what this page says.  Slow: for tests. */
void model_check(const struct model *m);

struct model_list model_chain(const struct model *m, uint32_t chain);
/* The event is in the cut. */
static inline bool model_is_in(const struct model *m, uint32_t e, const uint32_t *cut)
{
	return m->event[e].index < cut[m->event[e].chain];
}
/* How many of the events, all of one chain, are among its first `count'. */
static inline uint32_t model_list_within(const struct model *m, struct model_list l, uint32_t count)
{
	return SEARCH_PAST(i, 0, l.n, m->event[l.at[i]].index < count);
}
/* Those that end after event number `index' of the chain; it is in one if first <= index. */
struct model_stays model_stays(const struct model *m, uint32_t chain, uint32_t index);
/* Its reads see what a read-modify-write of the chain has left that was made of what it, or others, have read: where
 * reads are free that may be something else than in the recorded run. */
bool model_stay_is_fed(const struct model *m, uint32_t chain, const struct model_stay *s);
/* Accesses of a cell, each event once. */
struct model_list model_cell(const struct model *m, uint32_t cell);
/* Acquires (both modes) of a lock by one chain. */
struct model_list model_lock_chain(const struct model *m, uint32_t lock, uint32_t chain);
/* How many chains use the lock; the acquires of the i-th of them. */
uint32_t model_lock_nchains(const struct model *m, uint32_t lock);
struct model_list model_lock_nth(const struct model *m, uint32_t lock, uint32_t i, uint32_t *chain);
/* Events that must come before e in every reordering: sources of FORK, JOIN, PUT/GET and AFTER
 * edges into it; program order is not listed. */
struct model_list model_preds(const struct model *m, uint32_t e);
/* Those that came before it and gave it what it needs, the post that a wait took say, though others
 * may serve as well.  Who keeps them need not count. */
struct model_list model_pairs(const struct model *m, uint32_t e);
/* What counting shows to be needed (model_count.c): in every reordering they come before e too. */
struct model_list model_counted(const struct model *m, uint32_t e);

/*
 * Semaphores: in a reordering, so many TAKEs may come before any point as there are POSTs before it,
 * and model_sem_value more.  A ZERO comes where the two are equal.  Those that only ever serve as a
 * mutex are locks in a model, which nobody waits for (is_loose).
 */
struct model_sem_runs model_sem_runs(const struct model *m, uint32_t sem);
uint64_t model_sem_value(const struct model *m, uint32_t sem);
/* BUSY: another thread holds the lock there, or reads it if that explains it. */
static inline bool model_explains(const struct model *m, uint32_t busy, uint32_t acquire)
{
	const struct model_event *b = &m->event[busy], *a = &m->event[acquire];

	return a->obj == b->obj && a->tid != b->tid &&
	       (a->op == STEP_ACQ || (a->op == STEP_RACQ && (b->flags & STEP_READERS)));
}

static inline uint32_t model_ntouches(const struct model *m, uint32_t e)
{
	return m->event[e + 1].touch - m->event[e].touch;
}

static inline uint32_t model_nfeeds(const struct model *m, uint32_t e)
{
	return m->event[e + 1].feed - m->event[e].feed;
}

/* What the chain holds after so many of its events: the first of a list in m->holds, 0 nothing. */
uint32_t model_hold_at(const struct model *m, uint32_t chain, uint32_t count);
/* Within the cut, an acquire later in the trace than this one excludes its section. */
bool model_hold_is_passed(const struct model *m, uint32_t acquire, const uint32_t *cut);

/* The first of the list that keeps out who wants the lock, to read it if `shared'; 0 none. */
uint32_t model_hold_find(const struct model *m, uint32_t hold, uint32_t lock, bool shared);

/* The set of (lock, mode) from a hold on: equal sets have equal ids, the empty one 0.  Sets are made
 * when first asked for: one thread at a time. */
uint32_t model_held_set(const struct model *m, uint32_t hold);

/* The locks of a held set, ascending: lock << 1, + 1 in read mode. */
struct model_list model_set(const struct model *m, uint32_t set);

/* Held sets, or lists like theirs, have no lock in common, unless both hold it in read mode. */
bool model_keys_disjoint(struct model_list a, struct model_list b);
bool model_sets_disjoint(const struct model *m, uint32_t a, uint32_t b);
/* As model_hold_find, of a held set. */
bool model_set_excludes(const struct model *m, uint32_t set, uint32_t lock, bool shared);

/* The two accesses conflict: different chains, a common cell, a write, not both atomic; both
 * may be targets. */
bool model_conflict(const struct model *m, uint32_t a, uint32_t b);
/* They touch a cell in common, whatever they do there. */
bool model_shares_cell(const struct model *m, uint32_t a, uint32_t b);
/* A cell they share; precondition: model_conflict. */
uint32_t model_common_cell(const struct model *m, uint32_t a, uint32_t b);

/* The bytes of the cell that e reads (and, *stored, writes) when known; equal numbers mean equal
 * bytes for the same cell.  False: not known.  Either pointer may be NULL; *read stays as it is for
 * a write, *stored for a read. */
bool model_value(const struct model *m, uint32_t e, uint32_t cell, uint64_t *read,
		 uint64_t *stored);

/* What the write (0: the beginning) has left in the cell, if it is as recorded.  False: not known. */
bool model_left(const struct model *m, uint32_t cell, uint32_t write, uint64_t *value);

/* Of one read. */
struct model_tests model_tests_of(const struct model *m, uint32_t read);
/* Event at decides by what `read' has read, and only by the outcomes of tests. */
bool model_is_tested(const struct model *m, uint32_t read, uint32_t at);
/* All by which event at decides of it come out as observed if it sees this. */
bool model_tests_pass(const struct model *m, uint32_t read, uint32_t at, uint64_t value);
/* The test comes out as observed if its read, all of whose cell it is, sees this. */
bool model_test_is_same(const struct model *m, const struct model_test *t, uint64_t value);

#endif /* ORDER_MODEL_H */
