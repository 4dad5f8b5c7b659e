/* What guard.c (start, threads), guard_event.c (events), guard_act.c (recovery) and guard_memory.c share. */
#ifndef CAPTURE_GUARD_PRIV_H
#define CAPTURE_GUARD_PRIV_H

#include "capture/common.h"
#include "capture/guard.h"
#include "capture/log.h"
#include "know/know.h"

#define GUARD_BLOCKS 16u
#define GUARD_NAME 64u
#define GUARD_TAKEN 4u
#define GUARD_UNSETTLED ((const void *)&guard_world)

/* Patterns, as enum spec_op numbers them. */
enum {
	GUARD_OP_READ,
	GUARD_OP_WRITE,
	GUARD_OP_ACQ,
	GUARD_OP_REL,
	GUARD_OP_FORK,
	GUARD_OP_JOIN,
	GUARD_OP_BEGIN,
	GUARD_OP_END,
	GUARD_OP_CALL,
	GUARD_OP_USER
};

/* A thread's; t->control points to it. */
struct guard {
	uint32_t held; /* locks */
	bool brief;    /* its events on locks may be nothing */
	/* Of mutexes in short (guard_lock.c).  owner: what it is called in them; 0: nothing of it is known yet. */
	int owner;
	uint32_t renames; /* of the world, when `settled' was found */
	const void *
		settled; /* where this lies nothing is to be taken nor left; GUARD_UNSETTLED: there is always something */
	struct guard_taken {
		const pthread_mutex_t *mutex;
		const struct guard_cell *cell;
	} taken[GUARD_TAKEN]; /* by the number of locks held before, modulo */
	struct know_thread k;
	uint64_t was;		  /* properties that were false in its last state */
	uint64_t due;		  /* of which recovery is still to come, at the end of the hook */
	uint32_t site;		  /* of the event that is judged */
	bool handling;		  /* a handler runs, */
	uintptr_t frame;	  /* and was called from here; 0: it is never over */
	bool idle;		  /* nothing is known of it */
	struct know_vector *from; /* what its maker knew */
	struct guard *newborn;	  /* of the thread that it is making */
	char routine[GUARD_NAME], label[GUARD_NAME];
	uint64_t blocks[GUARD_BLOCKS]; /* of `end' events, by the blocks that it is in */
	uint32_t nblocks;
	/* The access under way. */
	struct {
		const void *at;
		size_t n;
		unsigned how; /* CONTROL_*; 0 with nplaces 0: none */
		bool under_way, changed;
		uint32_t
			nplaces; /* as many as there are: memset of a struct touches all its members */
		uint8_t places[KNOW_PLACES];
		struct guard_cell
			*cell; /* an atomic access of nothing that is named, or by `flow all' */
	} access;
};

/* A watched place of the program. */
struct guard_place {
	uintptr_t from, to; /* 0: not there */
	uint32_t lock;
	bool is_told;	       /* atomic: that not all that touches it is seen */
	uint64_t last;	       /* what the last write has left; guarded by the lock, */
	struct know_cell cell; /* as this is */
};

/* Kinds of cells; none is 0. */
enum {
	GUARD_CELL_LOCK = 1,
	GUARD_CELL_OTHER,
	GUARD_CELL_CHANNEL,
	GUARD_CELL_ATOMIC,
	GUARD_CELL_WORD,
	GUARD_CELL_ROUND,
	GUARD_CELL_CONDITION
};

/* Any other thing that orders threads.  It is never freed. */
struct guard_cell {
	_Alignas(64) uintptr_t addr;
	uint64_t
		what; /* atomic: GUARD_WHAT; when it is not 0 any more it and addr stay as they are */
	uint32_t lock;
	struct know_cell cell;
	struct guard_cell *next; /* atomic */
	/* Conditions: vectors of the last signals. */
	uint32_t nsignals;
	struct guard_signal {
		uint32_t tid;
		uint64_t tseq;
		struct know_vector *v;
	} * signals;
};
_Static_assert(sizeof(struct guard_cell) == 64,
	       "a cache line, which is all that most locks ask for");

/* number: of a barrier's round. */
#define GUARD_WHAT(kind, number) ((uint64_t)(number) << 32 | (kind))

/* A table of them, each the first of a chain; what lies side by side in the program does so there. */
#define GUARD_CELLS (1u << 14)
extern struct guard_cell guard_cells[GUARD_CELLS];

static inline struct guard_cell *guard_cell_first(const void *addr, uint32_t kind, uint32_t number)
{
	uintptr_t key = (uintptr_t)addr;

	return &guard_cells[(key >> 4 ^ key >> 18 ^ kind << 9 ^ number) % GUARD_CELLS];
}

static inline bool guard_cell_is(const struct guard_cell *c, const void *addr, uint32_t kind,
				 uint32_t number)
{
	/* Acquire: pairs with the stores of whoever made it. */
	return __atomic_load_n(&c->what, __ATOMIC_ACQUIRE) == GUARD_WHAT(kind, number) &&
	       c->addr == (uintptr_t)addr;
}

/* NULL: it is not there. */
static inline struct guard_cell *guard_cell_find(const void *addr, uint32_t kind, uint32_t number)
{
	struct guard_cell *c = guard_cell_first(addr, kind, number);

	while (c != NULL && !guard_cell_is(c, addr, kind, number))
		c = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE);
	return c;
}

extern struct know_world guard_world;
extern struct guard_place *guard_places;
extern bool guard_ready;	  /* main has begun */
extern bool guard_is_gone;	  /* it has given up */
extern bool guard_all;		  /* of every violation there is a line */
extern const void *guard_main_at; /* where main is */
extern uint64_t guard_counts[64]; /* violations by property; atomic */

static inline struct guard *guard_of(const struct thread *t)
{
	return (struct guard *)t->control;
}

/* The guard of a thread that is to be judged, or NULL. */
static inline struct guard *guard_judged(const struct thread *t)
{
	struct guard *g = guard_of(t);

	return g->idle || !guard_ready || guard_is_gone ? NULL : g;
}

/* Nothing more is judged; says why, once. */
void guard_quit(const char *why);
/* A line on stderr. */
void guard_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- guard_memory.c ---- */

void *guard_alloc(size_t n);
void guard_free(void *p, size_t n);
uint64_t guard_memory(void); /* bytes in all */
void guard_spin(uint32_t *lock);
void guard_unspin(uint32_t *lock);
/* Made if it is not there, and locked; NULL: no memory. */
struct guard_cell *guard_cell_lock(const void *addr, uint32_t kind, uint32_t number);

/* ---- guard.c ---- */

/* The vector that the thread has ended with, for whoever joins it. */
struct know_vector *guard_final_take(uint32_t tid);
void guard_final_put(uint32_t tid, struct know_vector *v);
/* Classes of a thread, by what it is called now. */
void guard_classify(struct guard *g, uint32_t tid);

/* ---- guard_event.c ---- */

/* The event itself: events of the spec that it is.  Recovery is due at the end of the hook. */
void guard_step(struct thread *t, struct guard *g, uint64_t events, uint32_t site);
uint64_t guard_by(uint64_t events, uint32_t tid);

/* ---- guard_act.c ---- */

/* At the end of a hook, outside of all locks of ours. */
void guard_recover(struct thread *t, struct guard *g);

#endif /* CAPTURE_GUARD_PRIV_H */
