/*
 * Where a call into the lock recorder comes from: its site and the stack.
 *
 * The program was not instrumented, so a site is a return address, and the stack is what unwinding
 * finds.  Unwinding is slow, and programs call from the same sites over and over.  So each thread
 * keeps its last stacks, by return address and stack pointer, and where in memory the callers'
 * return addresses lie.  While these words do not change, the stack is the same.
 */
#ifndef CAPTURE_LOCKS_SITE_H
#define CAPTURE_LOCKS_SITE_H

#include "capture/common.h"

#define LOCKS_FRAMES 32u  /* of deeper stacks the innermost */
#define LOCKS_STACKS 128u /* kept by a thread, an entry for each; a power of two */

struct locks_frame {
	uint64_t back; /* return address */
	uint32_t at;   /* where it lies, from the stack pointer */
	uint32_t site; /* 0: a frame of the runtime's */
};

struct locks_stack {
	uint64_t pc, sp;
	uint32_t age; /* of what is known about code: locks_age */
	uint32_t site;
	uint32_t n;
	uint32_t shape; /* stacks of equal frames have equal ones, mostly */
	struct locks_frame frames[LOCKS_FRAMES]; /* innermost first */
};

/* A thread's; all zero at first. */
struct locks_stacks {
	uint32_t shape, shapes; /* of what t->view has; how many there are */
	struct locks_stack at[LOCKS_STACKS];
};

/* Where the stack of a call from pc with the stack pointer sp is kept, if it is. */
static inline struct locks_stack *locks_stack_at(struct locks_stacks *s, uint64_t pc, uint64_t sp)
{
	return &s->at[((pc * 0x9e3779b97f4a7c15u >> 40) + (sp >> 4)) % LOCKS_STACKS];
}

extern uint32_t locks_age; /* atomic: bumped when code has gone */

/* With the same return address and stack pointer: the same stack? */
static inline bool locks_stack_is_still(const struct locks_stack *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (*(const uint64_t *)(s->sp + s->frames[i].at) != s->frames[i].back)
			return false;
	return true;
}

struct thread;

/* Inside a hook: the site of the call into the runtime.  t->view gets the stack. */
uint32_t locks_site(struct thread *t);

/* Before anything is recorded; false: no memory. */
bool locks_site_start(void);

#endif /* CAPTURE_LOCKS_SITE_H */
