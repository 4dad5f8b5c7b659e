/*
 * Tiny traces for tests: made at random, printed as text, and small enough to try every order.
 *
 * Shares nothing with src/: an error there must not be repeated here.  Events are numbered from 0;
 * event i is position i + 1 of the text.
 *
 * Memory is TINY_VARS variables of two halves, each half a cell; an access touches the low half,
 * the high half, or both.
 */
#ifndef TESTS_TINY_H
#define TESTS_TINY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TINY_EVENTS 28 /* at most; sets of events are 32-bit masks */
#define TINY_THREADS 5
#define TINY_VARS 3
#define TINY_CELLS (2 * TINY_VARS)
#define TINY_LOCKS 4
#define TINY_CONDS 2
#define TINY_SEMS 2
#define TINY_CHANNELS 2
#define TINY_NAME 16 /* bytes of a name in a text */

/* X(id, text) */
#define TINY_OPS(X)               \
	X(READ, "r")              \
	X(WRITE, "w")             \
	X(RMW, "rmw")             \
	X(FREE, "free")           \
	X(ACQ, "acq")             \
	X(REL, "rel")             \
	X(RACQ, "racq")           \
	X(RREL, "rrel")           \
	X(MAKE, "lockinit")       \
	X(DESTROY, "lockdestroy") \
	X(FORK, "fork")           \
	X(JOIN, "join")           \
	X(USE, "use")             \
	X(PARK, "park")           \
	X(WAKE, "wake")           \
	X(SIGNAL, "signal")       \
	X(BROADCAST, "broadcast") \
	X(SEMINIT, "seminit")     \
	X(SEMPOST, "sempost")     \
	X(SEMWAIT, "semwait")     \
	X(SEMFAIL, "semfail")     \
	X(TRYFAIL, "tryfail")     \
	X(GIVE, "give")           \
	X(TAKE, "take")           \
	X(BEGIN, "begin")         \
	X(END, "end")             \
	X(AGAIN, "acq")           \
	X(LESS, "rel")

/* AGAIN, LESS: of a lock that its holder takes once more. */
enum tiny_op {
#define X(id, text) TINY_##id,
	TINY_OPS(X)
#undef X
};

enum tiny_order { TINY_PLAIN, TINY_RELAXED, TINY_SEQ_CST };

enum tiny_cmp { TINY_NO_TEST, TINY_EQ, TINY_NE, TINY_LT, TINY_LE, TINY_GT, TINY_GE };

#define TINY_INIT (-1) /* in place of a write: the initial value */
#define TINY_NONE (-1) /* in place of an event: there is none */

struct tiny_event {
	enum tiny_op op;
	int thread;
	int obj; /* variable, lock, condition, semaphore, channel, or thread forked or joined */
	unsigned cells; /* accesses: mask of cells */
	enum tiny_order order;
	bool free;	/* READ, RMW: the read is free */
	bool looks;	/* READ, atomic: only asks */
	bool spin;	/* ACQ, REL: the lock is one that spins */
	bool reread;	/* READ: closes a run of reads, of which only the first is there */
	bool try;	/* acquires: did not wait; PARK: waits for a time only */
	bool reads;	/* TRYFAIL: it was to read, so readers did not keep it out */
	int count;	/* SEMINIT: the value */
	bool in_wait;	/* REL, ACQ: part of a condition wait */
	int lock;	/* PARK: the mutex */
	int cause;	/* WAKE: what woke it, TINY_NONE by itself or by the clock */
	uint32_t feeds; /* WRITE, RMW, USE: mask of free reads */
	/* Comparisons (with values): of a free READ or RMW, itself; of a USE, with each of `tested'. */
	enum tiny_cmp cmp;
	int with;
	uint32_t tested;  /* USE: feeds of which only the outcome decides */
	int loc;	  /* third field of the text */
	int seen, stored; /* values, when the trace has them */
	/* From here on: tiny_settle. */
	int index;	    /* within the thread */
	int rf[TINY_CELLS]; /* reads: the write seen, for each of its cells */
	int life;	    /* of a lock: what has made or destroyed it last; TINY_NONE */
	int partner;	    /* acquires: the release; releases: the acquire; or TINY_NONE */
	int before;	    /* the event of its thread before it; for the first, the fork */
	int joins;	    /* JOIN: last event of the child */
	uint32_t takes;	    /* TAKE: mask of the gives that it comes after */
	int first;	    /* rereads: index of what the run began with */
	int park;	    /* REL in a wait: its PARK; WAKE: the PARK that it ends */
};

struct tiny {
	int n, nthreads;
	bool values;
	bool fmt1; /* has things that plain STD has no words for; tiny_settle */
	struct tiny_event at[TINY_EVENTS];
	/* tiny_settle: */
	int len[TINY_THREADS];
	int thread_event[TINY_THREADS][TINY_EVENTS];
	int sem_init[TINY_SEMS];     /* its SEMINIT; TINY_NONE */
	int sem_value[TINY_SEMS];    /* at first; without SEMINIT the least that will do */
	bool init_known[TINY_CELLS]; /* some read shows the initial value */
	int init_value[TINY_CELLS];
};

/* What tiny_random may use. */
#define TINY_RWLOCKS 1u
#define TINY_ATOMICS 2u
#define TINY_FACTS 4u /* free reads, feeds, use */
#define TINY_HALVES 8u
#define TINY_VALUES 16u
#define TINY_LOCKING 32u /* many locks, in each other; few accesses; joins */
#define TINY_TRIES 64u
#define TINY_WAITS 128u	   /* condition waits */
#define TINY_FREES 256u	   /* not with values: what FREE leaves is nobody's to know */
#define TINY_COUNTS 512u   /* semaphores, and tries that fail */
#define TINY_REREADS 2048u /* not with values: those are not in them */
#define TINY_BLOCKS 4096u  /* BEGIN, END */
#define TINY_TESTS 8192u   /* comparisons; with TINY_FACTS and TINY_VALUES */
#define TINY_GIVES 16384u  /* GIVE, TAKE */
#define TINY_KINDS \
	32768u /* locks that spin, and that their holder takes again; not with waits, lives, counts */
#define TINY_LOOKS 65536u /* with TINY_ATOMICS */
#define TINY_LIVES 1024u  /* locks that are made and destroyed; not with TINY_COUNTS */

/* Fills in what follows from the events. */
void tiny_settle(struct tiny *t);

/* What the run of reads began with that c, whose cells and thread are set, closes before event `end';
 * TINY_NONE: it closes none. */
int tiny_run_begins(const struct tiny *t, const struct tiny_event *c, int end);

/* From text of doc/STD.md, of which it knows what a tiny trace can have, with any names but of threads; vars:
 * those of the variables, of which there are TINY_VARS.  False: there is more. */
bool tiny_parse(struct tiny *t, const char *text, char (*vars)[TINY_NAME]);

/* A well-formed trace of at most n events (n <= TINY_EVENTS), the same for the same seed. */
void tiny_random(struct tiny *t, uint64_t seed, int n, unsigned features);

/* As text of doc/STD.md; returns its length, less than max. */
size_t tiny_print(const struct tiny *t, char *out, size_t max);

static inline bool tiny_reads(const struct tiny_event *e)
{
	return e->op == TINY_READ || e->op == TINY_RMW;
}

static inline bool tiny_writes(const struct tiny_event *e)
{
	return e->op == TINY_WRITE || e->op == TINY_RMW || e->op == TINY_FREE;
}

/* How it comes out. */
static inline bool tiny_outcome(enum tiny_cmp cmp, int value, int with)
{
	switch (cmp) {
	case TINY_EQ:
		return value == with;
	case TINY_NE:
		return value != with;
	case TINY_LT:
		return value < with;
	case TINY_LE:
		return value <= with;
	case TINY_GT:
		return value > with;
	default:
		return value >= with;
	}
}

static inline bool tiny_is_access(const struct tiny_event *e)
{
	return e->op <= TINY_FREE;
}

static inline bool tiny_acquires(const struct tiny_event *e)
{
	return e->op == TINY_ACQ || e->op == TINY_RACQ;
}

static inline bool tiny_uses(const struct tiny_event *e)
{
	return e->op >= TINY_ACQ && e->op <= TINY_RREL;
}

/* It must be alive, as it was. */
static inline bool tiny_lives(const struct tiny_event *e)
{
	return tiny_uses(e) || e->op == TINY_DESTROY;
}

static inline bool tiny_renews(const struct tiny_event *e)
{
	return e->op == TINY_MAKE || e->op == TINY_DESTROY;
}

/* Both may be a race's events: different threads, common bytes, a write, not both atomic; or a lock that
 * the one makes or destroys and the other one, too, or uses. */
bool tiny_conflict(const struct tiny *t, int a, int b);

/* The first event of the block that the event is in, TINY_NONE for none: an outermost BEGIN .. END, and
 * a condition wait cuts it in two. */
int tiny_block(const struct tiny *t, int event);
/* e is `to', or comes before it by threads, forks, joins, signals and channels alone. */
bool tiny_must_precede(const struct tiny *t, int e, int to);

static inline bool tiny_signals(const struct tiny_event *e)
{
	return e->op == TINY_SIGNAL || e->op == TINY_BROADCAST;
}

static inline bool tiny_counts(const struct tiny_event *e)
{
	return e->op == TINY_SEMPOST || e->op == TINY_SEMWAIT || e->op == TINY_SEMFAIL;
}

/* Both acquire the same lock, in the same life of it, and cannot hold it at the same time. */
bool tiny_exclude(const struct tiny *t, int a, int b);

/* Numbers for tests: the same sequence for the same seed. */
struct tiny_rng {
	uint64_t state;
};
uint32_t tiny_below(struct tiny_rng *r, uint32_t n); /* in [0, n) */
bool tiny_chance(struct tiny_rng *r, unsigned percent);

#endif /* TESTS_TINY_H */
