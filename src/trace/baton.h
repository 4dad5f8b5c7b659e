/*
 * An explorer and the program that it runs again and again share one file, mapped by both.
 *
 *	struct baton_head	what is asked of the next run, and how it ended
 *	struct baton_choice	[steps]		the beginning of the schedule, given by the explorer
 *	struct baton_step	[steps]		what the run did: written by the program
 *	struct baton_word	[words]		words that threads have touched
 *	uint32_t		[words]		which of them came to be shared in this run
 *	struct baton_watch			what a property is about
 *
 * That is one part of the file.  There is one more for every process that runs the program for the
 * explorer, side by side with others; the first is the explorer's own, and of runs without such a process.
 * Before them all comes a page with struct baton_file.  A process maps that page and one part, so that
 * addresses are the same however many there are.
 *
 * One thread of the program runs at a time: the one that has the baton.  Before every visible
 * operation a thread announces it and gives the baton to whoever is chosen, maybe itself.  A thread is
 * *enabled* when its announced operation can be done without waiting, so nobody ever waits in the
 * kernel.  Who is chosen: the prefix says so as long as it lasts, then the policy.
 *
 * While one thread is alive, and the others were joined, nothing is a step.  Creation is none: it
 * enables, and the maker goes on when the child has announced its first operation, so threads are
 * numbered in one way.  The end of a thread belongs to its last step, unless somebody joins it with a
 * time limit, who may come too early.
 *
 * Accesses are steps only of words that two threads have touched, one of them writing.  A word that
 * comes to be shared in a run is marked; `grown' says that the runs before had fewer steps, and that a
 * search which is to be complete begins anew.  The explorer sees to it that the mark stays, in all parts.
 *
 * What a run does depends on what is asked of it and on these marks, and on nothing else that is here.
 */
#ifndef TRACE_BATON_H
#define TRACE_BATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BATON_MAGIC 0x314e5442u /* "BTN1" */
#define BATON_THREADS 128u	/* of one run, those that have ended included */
#define BATON_CHANGES 64u

struct baton_set {
	uint64_t at[BATON_THREADS / 64];
};

static inline bool baton_has(const struct baton_set *s, uint32_t i)
{
	return s->at[i / 64] >> i % 64 & 1;
}

static inline void baton_add(struct baton_set *s, uint32_t i)
{
	s->at[i / 64] |= 1ull << i % 64;
}

static inline void baton_drop(struct baton_set *s, uint32_t i)
{
	s->at[i / 64] &= ~(1ull << i % 64);
}

static inline bool baton_is_empty(const struct baton_set *s)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < BATON_THREADS / 64; i++)
		any |= s->at[i];
	return any == 0;
}

enum baton_kind {
	BATON_NONE,	/* nothing is announced */
	BATON_READ,	/* accesses: object is the address, size in bytes */
	BATON_WRITE,	/* a store, or memory that is given back */
	BATON_UPDATE,	/* reads and writes, or may: read-modify-write, compare-exchange */
	BATON_LOCK,	/* enabled when the lock is free, or nests */
	BATON_TRY_LOCK, /* always enabled: also a lock with a time limit */
	BATON_READ_LOCK,
	BATON_TRY_READ_LOCK,
	BATON_UNLOCK,
	BATON_READ_UNLOCK,
	BATON_WAIT, /* object: the condition, second: the mutex, which it gives back */
	BATON_WAKE, /* signalled, and the mutex, if any, is free; a timed one need not be signalled */
	BATON_SIGNAL,
	BATON_BROADCAST,
	BATON_SEM_WAIT,
	BATON_SEM_TRY,
	BATON_SEM_POST,
	BATON_BARRIER_IN,  /* size, of both: how many must come */
	BATON_BARRIER_OUT, /* all have come in */
	BATON_ONCE,	   /* enabled when nobody runs the routine */
	BATON_JOIN,	   /* second: the thread; enabled when it has ended */
	BATON_END,	   /* of a thread (second) that a timed join may wait for in vain */
	BATON_YIELD,	   /* a sleep, or sched_yield: no object */
	BATON_CHOOSE,	   /* foresee_choose: one of `branches' values */
	BATON_OBJECT,	   /* init or destroy of a synchronisation object */
	BATON_EVENT,	   /* something else that a property is about (trace/baton_watch.h) */
	BATON_OUTPUT,	   /* to a descriptor, where somebody reads it who minds the order */
	BATON_TAKE,	   /* from a descriptor, `size': enabled when there is something */
	BATON_GIVE,	   /* to one: enabled when there is room */
	BATON_KILL,	   /* sends the signal `size' to this process */
	BATON_SIGNAL_IN,   /* such a wait begins: a handler that has run before does not end it */
	BATON_SIGNAL_WAIT, /* enabled when such a signal is there, or its handler is about to run */
	BATON_EXIT,	   /* of the process, while others are alive: depends on everything */
	BATON_KINDS
};

#define BATON_IS_ACCESS(kind) ((kind) >= BATON_READ && (kind) <= BATON_UPDATE)

/* Flags of an operation. */
#define BATON_ATOMIC 1u
#define BATON_TIMED 2u /* comes back in vain when it is done before it has what it waits for */
#define BATON_LOCK_RWLOCK 8u /* of lock operations: not a mutex, */
#define BATON_LOCK_SPIN 16u  /* but this */
#define BATON_LOCK_KIND 24u  /* mask */
#define BATON_AWAITS 32u /* it has read or tried the same again and again, and waits for a change */
#define BATON_FREES 4u	 /* WRITE: the memory is given back */
#define BATON_KERNEL \
	8u /* UPDATE, WAKE, SIGNAL: by a system call on a futex, or assembler; races with nobody */
#define BATON_STATIC 8u /* ONCE: the guard of a local static of C++ */
#define BATON_DONE 16u /* ONCE, of a step: the routine has run, and not been left by an exception */
#define BATON_VAIN 64u /* of a step: it came back without what it was called for */
#define BATON_WATCHED 128u /* a property is about it: all of these depend on each other */

struct baton_op {
	uint64_t object, second;
	uint32_t size;
	uint32_t site; /* of the run; the same in every run of one program */
	uint8_t kind;
	uint8_t flags;
	uint16_t branches; /* CHOOSE: of how many; else 1 */
};

struct baton_choice {
	uint16_t thread;
	uint16_t branch; /* CHOOSE: which value */
};

/* What may order accesses and is no step: `channel' is enum baton_channel. */
#define BATON_GAVE(channel) (1u << 2 * (channel))
#define BATON_TOOK(channel) (2u << 2 * (channel))

enum baton_channel {
	BATON_UNSEEN, /* calls of code that is not seen, and their return */
	BATON_SIGNALS,
	BATON_FILES,
	BATON_ASSEMBLER, /* instructions that are not seen: any atomic read takes from them */
	BATON_CHANNELS
};

struct baton_step {
	struct baton_op op;
	struct baton_choice choice;
	uint16_t nthreads; /* made before it: whoever took the step before has made the last */
	uint16_t passed;   /* BATON_GAVE, BATON_TOOK: after it, before the next step of anybody */
	struct baton_set enabled; /* just before it */
};

enum baton_policy {
	BATON_GO_ON,  /* the same thread while it is enabled, then the lowest; none that sleeps */
	BATON_RANDOM, /* each enabled thread alike */
	BATON_PCT,    /* random priorities that change at `changes' */
	BATON_POS,    /* a random priority for every operation */
};

enum baton_outcome {
	BATON_RAN,	/* the program ended by itself, or was killed: the wait status tells */
	BATON_DEADLOCK, /* nobody is enabled */
	BATON_STILL,	/* likewise, unless a signal comes: of a timer, or of another process */
	BATON_BLOCKED,	/* everybody who is enabled sleeps */
	BATON_STRAYED,	/* the prefix names a thread that is not enabled */
	BATON_TOO_LONG, /* the limit of steps */
	BATON_TOO_MANY, /* threads */
	BATON_OUTSIDE,	/* a step took too long, in unseen code */
	BATON_TROUBLE,	/* the program could not be recorded any more, and so not controlled */
	BATON_OUTCOMES
};

/* Where a run stands still: when so many steps have been begun, or */
#define BATON_HALT_NEVER 0u
#define BATON_HALT_FIRST (UINT32_MAX - 1) /* before main */
#define BATON_HALT_FAULT UINT32_MAX

#define BATON_OUTSIDE_FILES 1u	 /* written */
#define BATON_OUTSIDE_SOCKETS 2u /* written, bound or connected */
#define BATON_OUTSIDE_INPUT 4u	 /* read: the standard input, in which there is nothing */

/* What a run did that is wrong in itself, and has ended it. */
enum baton_fault_kind {
	BATON_NO_FAULT,
	BATON_USE_AFTER_FREE,
	BATON_DOUBLE_FREE,
};

#define BATON_FAULT_STATUS 121 /* what such a run leaves with */

struct baton_fault {
	uint32_t kind; /* enum baton_fault_kind */
	uint32_t size; /* of the access; 0: a call of a lock, a condition or a semaphore */
	uint64_t at;
	uint32_t site, thread;
	uint32_t freed_site, freed_thread;
	uint64_t block, block_size; /* that was freed, and is free */
};

/* Why a run that was done by fibers does not count (capture/fiber.h). */
enum baton_irregular {
	BATON_REGULAR,
	BATON_IRREGULAR_FAULT,	 /* a signal: it may be a failure */
	BATON_IRREGULAR_THREAD,	 /* made in a way that is not known, or ended */
	BATON_IRREGULAR_THREADS, /* more than there are */
	BATON_IRREGULAR_MEMORY,	 /* more is written to than is kept */
	BATON_IRREGULAR_CALL,	 /* and more: the system call of the number above this */
};

/* Between a server and the process in which it has runs done by fibers (capture/fiber_server.c). */
struct baton_fibers {
	uint32_t wanted;    /* by the explorer */
	uint32_t listens;   /* futex: that process does what is asked; else the server */
	uint32_t nthreads;  /* that a run may have */
	uint32_t irregular; /* enum baton_irregular: of the run that was handed back */
	int32_t ended;	    /* as waitpid would say: of that run, if it was regular */
	uint64_t regular;   /* runs that were done so */
	uint64_t handed;    /* that were not, or done again */
	uint32_t why;	    /* enum baton_irregular: of the last that was not */
};

struct baton_word {
	uint64_t word;	/* address / 8 + 1; 0: none */
	uint32_t run;	/* `number' of the run that has touched it last */
	uint16_t first; /* its first thread in that run */
	uint8_t wrote;	/* somebody has written it in that run */
	uint8_t shared; /* in some run */
};

#define BATON_PAGE 4096u

struct baton_file {
	uint32_t magic;
	uint32_t jobs; /* parts behind the first */
	uint64_t size; /* of a part */
	uint32_t bell; /* futex: runs that are done, by anybody */
};

struct baton_head {
	uint32_t nwords;		      /* a power of 2 */
	uint64_t nchoices;		      /* room for so many steps */
	uint64_t choices, steps, words, news; /* where the tables begin */
	uint64_t watch;			      /* likewise: struct baton_watch */

	/* In. */
	uint32_t policy;
	uint32_t nprefix;
	uint32_t limit;		 /* of steps */
	uint64_t seed;		 /* of random choices */
	struct baton_set sleep;	 /* threads that sleep after the prefix */
	struct baton_set frozen; /* never chosen */
	uint32_t nchanges; /* PCT: before these steps the priority of the running thread falls */
	uint32_t changes[BATON_CHANGES];
	uint32_t all_accesses; /* 1: every access is a step */
	uint32_t kept;	       /* 1: a deadlock is entered, and not only told */
	uint32_t outputs;      /* 1: output is a step */
	uint32_t halt;	       /* BATON_HALT_..., or how many steps */
	char directory[1024];  /* where the run takes place; empty: where the program was started */
	char out[1024], err[1024]; /* files that the server's output goes to; empty: nowhere */
	uint32_t
		served; /* 1: the program waits until runs are asked for, and does each in a child */
	/* Runs asked for, a futex, and done.  The server answers with the child and how it ended. */
	uint32_t asked, answered;
	int32_t server; /* process */
	int32_t child;
	uint32_t given_up; /* the child was killed: it took too long */
	int32_t ended;	   /* as waitpid says */
	struct baton_fibers fibers;

	/* Out. */
	uint32_t number; /* of the run, from 1, in this part */
	uint32_t nsteps;
	uint32_t outcome;	  /* enum baton_outcome */
	struct baton_fault fault; /* of a run that ended by itself */
	uint32_t nthreads;
	uint32_t grown;	  /* words that came to be shared in this run */
	uint32_t crowded; /* there was no room for some word */
	uint32_t forked;  /* the run has made other processes */
	uint32_t outside; /* BATON_OUTSIDE_...: has touched what all runs share */
	uint32_t running; /* the thread that has the baton */
	uint32_t unseen; /* site where it called code that is not seen; 0: it has done more since */
	uint32_t unlike; /* fibers did not do what a process does */
	uint32_t awaited;	       /* threads were kept from reading the same again and again */
	char trouble[128];	       /* BATON_TROUBLE: why */
	uint32_t halted;	       /* 1: it stands, until this is 0 */
	uint64_t address, stands;      /* where it has this head; what it calls when it stands */
	int32_t kernel[BATON_THREADS]; /* the kernel's numbers of its threads */
	struct baton_set alive;	       /* at the end */
	struct baton_op pending[BATON_THREADS]; /* what those are about to do */
};

/* What is asked, and what came out, that is not of one part alone. */
#define BATON_IN offsetof(struct baton_head, policy)
#define BATON_IN_SIZE (offsetof(struct baton_head, directory) - BATON_IN)
#define BATON_OUT offsetof(struct baton_head, nsteps)
#define BATON_OUT_SIZE (sizeof(struct baton_head) - BATON_OUT)

/* A word comes to be shared in this run. */
static inline void baton_share(struct baton_head *h, struct baton_word *w)
{
	uint32_t *news = (uint32_t *)((char *)h + h->news);

	w->shared = 1;
	news[h->grown++] = (uint32_t)(w - (struct baton_word *)((char *)h + h->words));
}

/* Those that came to be so are not: the run is done again. */
static inline void baton_unshare(struct baton_head *h)
{
	const uint32_t *news = (const uint32_t *)((char *)h + h->news);
	struct baton_word *words = (struct baton_word *)((char *)h + h->words);

	for (uint32_t i = 0; i < h->grown && i < h->nwords; i++)
		words[news[i] % h->nwords].shared = 0;
	h->grown = 0;
}

#define BATON_NEAR \
	32u /* words that lie together also do in the table: a run touches few pages of it */
#define BATON_TRIES (32 * BATON_NEAR)

/* The entry of the word at an address, or where it would be; NULL: there is no room in so many places. */
static inline struct baton_word *baton_word_near(struct baton_head *h, uint64_t at, uint32_t most)
{
	struct baton_word *all = (struct baton_word *)((char *)h + h->words);
	uint64_t word = at / 8 + 1, block = word / BATON_NEAR * 0x9e3779b97f4a7c15u >> 40;
	uint32_t i = (uint32_t)(block * BATON_NEAR + word % BATON_NEAR) & (h->nwords - 1);

	for (uint32_t tries = 0; tries < most; tries++, i = (i + 1) & (h->nwords - 1))
		if (all[i].word == word || all[i].word == 0)
			return &all[i];
	return NULL;
}

static inline struct baton_word *baton_word(struct baton_head *h, uint64_t at)
{
	return baton_word_near(h, at, BATON_TRIES);
}

/* May it have to wait before it can be done? */
static inline bool baton_waits(const struct baton_op *op)
{
	switch (op->kind) {
	case BATON_LOCK:
	case BATON_READ_LOCK:
	case BATON_WAKE:
	case BATON_SEM_WAIT:
	case BATON_BARRIER_OUT:
	case BATON_ONCE:
	case BATON_JOIN:
		return true;
	case BATON_TAKE:
	case BATON_GIVE:
	case BATON_SIGNAL_WAIT:
		return !(op->flags & BATON_TIMED);
	default:
		return false;
	}
}

/* Do two operations of different threads depend on each other: does their order matter? */
static inline bool baton_depends(const struct baton_op *a, const struct baton_op *b)
{
	bool reads_a = a->kind == BATON_READ_LOCK || a->kind == BATON_READ_UNLOCK ||
		       a->kind == BATON_TRY_READ_LOCK;
	bool reads_b = b->kind == BATON_READ_LOCK || b->kind == BATON_READ_UNLOCK ||
		       b->kind == BATON_TRY_READ_LOCK;
	bool meets_a = a->kind == BATON_BARRIER_IN || a->kind == BATON_BARRIER_OUT;
	bool meets_b = b->kind == BATON_BARRIER_IN || b->kind == BATON_BARRIER_OUT;
	bool joins_a = a->kind == BATON_JOIN && !(a->flags & BATON_TIMED);
	bool joins_b = b->kind == BATON_JOIN && !(b->flags & BATON_TIMED);

	if (a->kind == BATON_EXIT || b->kind == BATON_EXIT)
		return true;
	if (a->flags & b->flags & BATON_WATCHED)
		return true;
	if (BATON_IS_ACCESS(a->kind) && BATON_IS_ACCESS(b->kind))
		return a->object < b->object + b->size && b->object < a->object + a->size &&
		       !(a->kind == BATON_READ && b->kind == BATON_READ);
	if (BATON_IS_ACCESS(a->kind) || BATON_IS_ACCESS(b->kind))
		return false;
	if ((reads_a && reads_b) || joins_a || joins_b)
		return false;
	if (a->object == 0 || b->object == 0)
		return false;
	/* A barrier's order is by who is enabled, not by choice; that it is made or destroyed is not. */
	if (meets_a && meets_b)
		return false;
	return a->object == b->object || a->object == b->second ||
	       (a->second != 0 && (a->second == b->object || a->second == b->second));
}

#endif /* TRACE_BATON_H */
