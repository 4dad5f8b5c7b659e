/*
 * A replay and the program that it controls share one file, mapped by both.
 *
 *	struct plan_head
 *	struct plan_thread	[nthreads]	the plan: what is enforced, of which thread
 *	struct plan_step	[nsteps]
 *	struct plan_wait	[nwaits]
 *	uint32_t		[nkeys]		keys of the solid events of all parts
 *	struct plan_input	[ninputs]	what is given to each thread of what differs in every run
 *	uint8_t			[]		bytes of those
 *	struct plan_seat	[nthreads]	what each thread is doing: written by the program
 *	uint64_t		[nsteps]	where those with PLAN_VALUE have written: the same
 *
 * The tool makes the plan (replay/plan.h) and watches the seats; the runtime (capture/control.h)
 * holds threads back until the plan lets them pass.  Numbers are of the machine; tables begin at
 * multiples of 64, seats at one of PLAN_PAGE: a program may write over all of the file, and the tool
 * reads nothing back but the seats and the last words of the head.
 *
 * Which event is this?  Addresses, thread numbers and event numbers differ from run to run.  Threads
 * are known by how they were created.  Within a thread, *solid* events are those that every run along
 * the same path logs; the n-th of the recording is the n-th of the replay.  Between two of them an
 * event is known by the key of its site and by how many new ones of that key there were.
 *
 *	solid	plain and atomic writes, rmw, free reads, reads across two words; acquires, releases,
 *		init and destroy of synchronisation objects; park, wake, signal, broadcast; barrier in
 *		and out; semaphore init, post and wait; once; fork (one that fails is two), join, detach,
 *		cancel; fence; user events; blocks.
 *	read	a binding read of one word, and a compare-exchange that fails: repeated ones are dropped
 *		by the recorder.  New: not all of its bytes were read by the thread since its epoch
 *		began, or with other values, or not at this place (format_place_bit) since it saw a
 *		change there.  (Not: with another version.  That is one of a word, and
 *		nothing orders writes to other bytes of it.)  Plain reads, relaxed atomic ones and
 *		other atomic ones are told apart in this.
 *	vain	a failed try, semaphore or join: repeated ones are dropped as well.  New: not the same
 *		call, by key and object, as the last of this class since the last solid event.
 *	range	bytes that are read, or written, by one call, whatever pieces the recorder cuts them
 *		into.  A copy is two: first all that it reads, then all that it writes.
 *	free	of heap memory, or of a local variable whose scope ends; pieces as above.
 *	pass	give and take of files and sockets, where somebody takes, and turns to read from them: the
 *		first of a key since the last solid event.  The call is what is known; how many of them are
 *		recorded is not.  nth: 1 give, 2 take.  One that does not come is left out.
 *	signal	the beginning of a signal handler, known by the number of solid events before it and by
 *		`value', which stands for the signal: a take's object, PLAN_SIGNAL_OF
 *	none	requests, other give and take, alloc, begin and end of threads, rereads, atomic accesses of 16
 *		bytes: no gate
 *
 * An epoch ends at every solid event that is neither an access nor a user event, at an atomic write
 * or rmw that releases (or more), and at a call of unseen code.  So it ends nowhere where the recorder's
 * own does not, and every new event is in the recording.
 */
#ifndef TRACE_PLAN_H
#define TRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_MAGIC 0x334e4c50u /* "PLN3" */
#define PLAN_PAGE 65536u       /* no machine has larger ones */

enum plan_class {
	PLAN_NONE,
	PLAN_SOLID,
	PLAN_READ,
	PLAN_VAIN,
	PLAN_RANGE,
	PLAN_FREE,
	PLAN_PASS,
	PLAN_SIGNAL
};

/* Of a signal's word of the runtime's table of channels, in whose first page it lies: where in that. */
#define PLAN_SIGNAL_OF(addr) ((uint64_t)(addr)&4095)

/* Flags of a step. */
#define PLAN_TARGET 1u /* the finding is about it: the thread stands before it, at the point */
#define PLAN_FAILS 2u  /* the call must come back in vain: a time-out, or a try */
#define PLAN_VALUE 4u  /* what it writes must be `value' */
#define PLAN_REQUEST \
	8u /* a target that the recording only has as a request: the call at that place */
/* READ: a target is what comes at its place, whatever `nth' says, new or not; before another one its thread
 * waits there although it is not new yet. */
#define PLAN_ANY 16u
#define PLAN_CANCELLED 32u /* WAKE: a request to cancel the thread has */
#define PLAN_RESULT 64u	   /* the call gives `value' */

/* Clocks, as clock_gettime numbers them. */
#define PLAN_CLOCKS 16u

struct plan_head {
	uint32_t magic;
	uint32_t kind; /* enum finding_kind; of no matter to the program */
	uint32_t nthreads, ntargets;
	uint32_t real_time; /* 1: who sleeps sleeps; 0: before the point only for a moment */
	uint32_t places;    /* 1: a read is new at each place: a recording of FORMAT_PLACES_SINCE */
	uint64_t nsteps, nwaits, nkeys, ninputs;
	/* Where the tables begin. */
	uint64_t threads, steps, waits, keys, inputs, bytes, seats, touched;
	uint64_t size; /* of the file */

	/* The least that each clock says in the inputs, in nanoseconds; 0: they do not have it. */
	int64_t clocks[PLAN_CLOCKS];

	/* What goes on; futexes. */
	uint32_t taken; /* by the first program that maps it; one that it becomes by exec is free */
	uint32_t doorbell; /* grows whenever a thread arrives at a target, stops, or diverges */
	uint32_t freed;	   /* by the tool: no gate holds anybody any more */
	uint32_t arrived;  /* targets that stand */
	uint32_t diverged; /* enum plan_why; the first one counts */
	/* Of the divergence. */
	uint32_t thread; /* index */
	uint32_t step;	 /* that was expected, of the thread; or its nsteps */
	uint32_t site;	 /* of what came, a site number of the replayed run */
	uint32_t
		expected_key; /* of another operation: the key that was expected, and where it is */
	uint64_t solids;      /* the thread's count */
	uint64_t value;	      /* PLAN_WHY_VALUE: what was written */
	uint32_t paced; /* futex, by the tool: steps with a number up to this one may be done */
	uint32_t pad2;
	int64_t alarm; /* when setitimer's clock rings, on CLOCK_MONOTONIC; 0: never, INT64_MAX: again and again */
};

enum plan_why {
	PLAN_WHY_NOT,	    /* it has not diverged */
	PLAN_WHY_OPERATION, /* another operation came than the recorded one */
	PLAN_WHY_MISSED,    /* a read, or the like, did not come before the next solid event */
	PLAN_WHY_TARGET,    /* the thread's part was over, and its target did not come */
	PLAN_WHY_ENDED,	    /* the thread ended inside its part */
	PLAN_WHY_VALUE,	    /* it wrote another value */
};

#define PLAN_FIRST (-1)	  /* maker: the first thread of the process */
#define PLAN_ADOPTED (-2) /* unseen code: the ordinal-th thread that was adopted */

struct plan_thread {
	int32_t maker;	  /* index of the thread that creates it, or above */
	uint32_t ordinal; /* of its maker's creations, from 0 */
	uint32_t tid;	  /* in the recording */
	uint32_t nsteps;
	uint64_t step; /* index of its first one */
	uint64_t
		events; /* in its part: what of it is in the order.  0: it stops before it begins */
	uint64_t solids; /* of those; keys[key ..] are theirs */
	uint64_t key;
	uint32_t tail;	/* RANGE and FREE events of its part that come after the last solid one */
	uint32_t ends;	/* 1: its end is part of the order */
	uint64_t input; /* index of its first one */
	uint64_t ninputs;
};

/*
 * What a call gave to its thread when it was recorded: the time, random bytes.  Known by the number of
 * solid events of the thread before it, the key of its place, and what it is; of several such they come
 * in their order.
 */
struct plan_input {
	uint64_t solids;
	int64_t seconds;
	uint64_t bytes; /* FORMAT_INPUT_RANDOM: where in the file, */
	uint32_t n;	/* so many */
	uint32_t nanoseconds;
	uint32_t key;
	uint32_t what; /* as trace_input has it */
};

/*
 * An event that others wait for, that waits for others, or that must be looked at.  The progress of a
 * thread is a number: 2k, it has arrived at its step k; 2k + 1, its step k is over; 2 * nsteps, its
 * part is over and it has come to something that is not in it, or waits for good, or has ended.
 */
struct plan_step {
	uint64_t pos;	 /* the event, in the recording */
	uint64_t solids; /* of its thread before it */
	uint32_t key;
	uint32_t site; /* of the recording */
	uint32_t
		nth; /* READ, VAIN, RANGE, FREE: of the new ones of its class and key since the last solid
			* one, from 1; 0: any, new or not */
	uint32_t nwaits;
	uint64_t wait;	  /* index of the first one */
	uint64_t value;	  /* PLAN_VALUE, PLAN_RESULT, PLAN_SIGNAL */
	uint8_t class;	  /* enum plan_class */
	uint8_t flags;	  /* PLAN_TARGET .. */
	uint8_t op;	  /* enum event_op; for messages */
	uint8_t doubtful; /* a read that is new only if another value is there; plan_doubt */
	uint32_t
		pace; /* its number, when somebody goes from step to step (debug_steps.h); 0: none */
};

/* Not before the progress of that thread is so much. */
struct plan_wait {
	uint32_t thread;
	uint32_t progress;
};

enum plan_state {
	PLAN_ABSENT, /* not created yet */
	PLAN_RUNS,
	PLAN_GATED,   /* waits for `wait' */
	PLAN_STOPPED, /* its part is over */
	PLAN_STANDS,  /* before its target */
	PLAN_LET_GO,  /* and has been let go: it does it */
	PLAN_WAITS, /* in a condition wait that the runtime does for it, and nobody has signalled */
	PLAN_GONE,  /* ended */
	PLAN_AWAITS, /* a signal */
	PLAN_PAUSED, /* before a step whose number is above `paced' */
};

/* Of `signalled'. */
#define PLAN_BY_SIGNAL 1u
#define PLAN_BY_FREEING 2u /* everybody is free: deadlines count again */
#define PLAN_BY_CANCEL 4u  /* its thread has been asked to end */

#define PLAN_STACK 32u
#define PLAN_HELD 32u

/* A lock that a thread holds. */
struct plan_lock {
	uint64_t addr;
	uint32_t site;	/* where it was taken */
	uint16_t count; /* recursive: so many times */
	uint16_t shared;
};

/* What a thread is about to do, or does. */
struct plan_op {
	uint64_t addr, len;
	uint64_t value;	  /* that it is going to store, if has_value */
	uint8_t bytes[8]; /* what lies there, of the first ones */
	uint32_t site;	  /* of the replayed run */
	uint8_t class;
	uint8_t kind; /* FORMAT_K_* of a call; 0: an access */
	bool writes, atomic, has_value;
	uint8_t pad[7];
};

struct plan_seat {
	uint32_t progress;
	uint32_t go;	 /* futex, by the tool: 1, past the target */
	uint32_t state;	 /* enum plan_state */
	uint32_t kernel; /* the kernel's number of the thread */
	uint32_t step;	 /* next one */
	uint32_t over;	 /* its target is done */
	uint64_t solids;
	uint64_t handle;		    /* pthread_t */
	uint32_t tid;			    /* in the replayed run */
	uint32_t waits_for, waits_progress; /* PLAN_GATED */
	uint32_t depth;			    /* of its stack, at its last gate */
	uint32_t stack[PLAN_STACK];	    /* call sites, innermost first */
	uint32_t nheld;
	uint32_t signalled; /* in a condition wait, futex: PLAN_BY_SIGNAL, somebody has; .. */
	uint64_t cond;	    /* PLAN_WAITS: which */
	struct plan_lock held[PLAN_HELD];
	struct plan_op op; /* the last that came to a gate; the target, when it stands */
	/* The last call that gives another result in every run: where, and its name. */
	uint32_t fickle_site;
	char fickle[20];
	uint32_t limited; /* PLAN_WAITS: it ends by itself when a time is over */
	/* Who waits for its progress sleeps on the bell.  It is rung, and `wanted' is 0 again, when that
	 * has come to what was wanted least; so nobody is woken in vain. */
	uint32_t wanted;
	uint32_t bell; /* futex */
	uint8_t pad[4];
};

static inline uint32_t plan_key_string(uint32_t h, const char *s)
{
	for (; s != NULL && *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return (h ^ 0xffu) * 16777619u;
}

static inline uint32_t plan_key_number(uint32_t h, uint32_t x)
{
	for (unsigned i = 0; i < 4; i++)
		h = (h ^ (x >> 8 * i & 0xff)) * 16777619u;
	return h;
}

/* The key of a site, the same in every run of one build.  Of a site that is not known it is 0. */
static inline uint32_t plan_key(const char *file, const char *function, uint32_t line,
				uint32_t column, uint32_t kind)
{
	uint32_t h = plan_key_string(plan_key_string(2166136261u, file), function);

	h = plan_key_number(plan_key_number(plan_key_number(h, line), column), kind);
	return h != 0 ? h : 1;
}

#endif /* TRACE_PLAN_H */
