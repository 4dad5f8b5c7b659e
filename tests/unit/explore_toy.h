/*
 * Toy programs for the explorer: threads as lists of operations on a few variables and objects.
 *
 *	toy_add(&p, "lock:m read:x write:y=1 unlock:m");
 *
 * One word an operation, one letter an object.  A thread has one register.
 *
 *	read:x write:x=1 add:x=1		the register gets what was read; add: what was there
 *	write:x=r write:x=s			the register, and the register and 1
 *	load:x store:x=1			atomic, as add is
 *	readlow:x writelow:x=1			4 of its 8 bytes, the lower or
 *	readhigh:x writehigh:x=1		the upper ones
 *	clear					all variables become 0, by one access of many words
 *	lock:m try:m unlock:m			register: 1 if the lock was got
 *	wrlock:l rdlock:l tryrdlock:l rdunlock:l
 *	wait:c:m timedwait:c:m signal:c broadcast:c	register: 1 if it timed out
 *	down:s trydown:s up:s			semaphores begin at 0; up:s in toy_program.begin
 *	meet:b:2				a barrier of two
 *	once:o:2				the two operations behind it are the routine
 *	join:1 choose:3 yield init:m exit
 *	make:1					a thread that does not run before; no step
 *	if=1:2 ifnot=1:2			skips two unless the register is, or is not, 1; no step
 *	fail=1					fails if the register is 1; no step
 *
 * The state is small and has no pointers: whoever wants to look at all runs copies it.
 */
#ifndef TESTS_EXPLORE_TOY_H
#define TESTS_EXPLORE_TOY_H

#include "explore/runner.h"

#define TOY_THREADS 6
#define TOY_LENGTH 40
#define TOY_NAMES 26
#define TOY_NOT 1u /* flag of TOY_IF */

enum toy_local { TOY_IF = BATON_KINDS + 8, TOY_FAIL, TOY_MAKE, TOY_END_ONCE, TOY_EXIT };

struct toy_line {
	uint8_t kind; /* of baton, or local */
	uint8_t object, second, flags;
	uint8_t offset, size; /* size 0: all variables */
	int8_t value;	      /* -1: the register, -2: and 1 more */
	uint8_t count;
};

struct toy_program {
	struct toy_line lines[TOY_THREADS][TOY_LENGTH];
	uint32_t length[TOY_THREADS];
	uint32_t nthreads;
	int8_t semaphores[TOY_NAMES]; /* at the beginning */
	bool goes_on;		      /* after a failure, which is the status at the end */
};

struct toy_state {
	uint8_t pc[TOY_THREADS], reg[TOY_THREADS];
	uint8_t made, ended; /* bits */
	uint8_t woken;	     /* bits: signalled */
	uint8_t var[TOY_NAMES][2];
	uint8_t holder[TOY_NAMES], depth[TOY_NAMES]; /* thread and 1 */
	uint8_t readers[TOY_NAMES];
	int8_t sem[TOY_NAMES];
	uint8_t queue[TOY_NAMES][TOY_THREADS], queued[TOY_NAMES];
	uint8_t came[TOY_NAMES], round[TOY_NAMES], my_round[TOY_THREADS];
	uint8_t once[TOY_NAMES]; /* 1: runs, 2: done */
	uint8_t failed;		 /* bits */
	bool exited;
};

void toy_add(struct toy_program *p, const char *text);

/* Variables whose accesses are no steps, as bits, are done on the way. */
void toy_begin(const struct toy_program *p, struct toy_state *s, uint32_t hidden);
/* What the thread is about to do; NULL: it has ended, or is not made. */
const struct toy_line *toy_pending(const struct toy_program *p, const struct toy_state *s,
				   uint32_t thread);
/* May the thread take the lock, for writing? */
bool toy_is_free(const struct toy_state *s, uint32_t lock, uint32_t thread);
bool toy_is_enabled(const struct toy_program *p, const struct toy_state *s, uint32_t thread);
/* The step, and what is no step behind it. */
void toy_do(const struct toy_program *p, struct toy_state *s, uint32_t thread, uint32_t branch,
	    uint32_t hidden);
bool toy_is_over(const struct toy_program *p, const struct toy_state *s);

/* A runner of toys. */
struct toy {
	struct explore_runner runner; /* first */
	struct toy_program program;
	struct toy_state state; /* at the end of the run */
	bool hides;		/* variables are steps when they have come to be shared */
	uint32_t touched[TOY_NAMES], wrote; /* in the run */
	uint64_t random;
};

struct toy *toy_new(uint32_t limit);
void toy_free(struct toy *t);
void toy_clear(struct toy *t); /* no program */

/* A random program of at most so many steps; with exits, unless failures go on (goes_on is as it was). */
void toy_random(struct toy_program *p, uint64_t *random, uint32_t nthreads, uint32_t steps);

#endif /* TESTS_EXPLORE_TOY_H */
