/* What the files of fibers share among themselves. */
#ifndef CAPTURE_FIBER_PRIV_H
#define CAPTURE_FIBER_PRIV_H

#include <signal.h>
#include <ucontext.h>

#include "capture/baton.h"
#include "capture/fiber.h"
#include "capture/sys.h"

#define FIBER_PAGE 4096u
#define FIBER_PAGES 1024u /* that runs may write to */
#define FIBER_RANGES 512u
#define FIBER_STACK (64u << 10)

/* One thread. */
struct fiber {
	void *(*run)(void *); /* what it begins with in this run */
	void *arg;
	uint64_t first_sp, sp; /* where its registers are saved: before a run, and now */
	uint32_t ready;	       /* it has stopped, before the first run */
	uint64_t base;	       /* its thread pointer */
	uint64_t mask;	       /* of signals, as it has set it: none comes */
	pid_t tid;
	uint32_t maker, then; /* who goes on when it has begun, and when it has ended */
	bool ends, allocates;
	uintptr_t stack_low, stack_high;
};

/* Memory that is not put back, for it says how to. */
struct fiber_kept {
	struct fiber fibers[BATON_THREADS]; /* by the numbers of the baton */
	uint32_t nfibers, nmade;	    /* of them, in this run */
	uint32_t running;
	uint64_t manager; /* where its registers are saved */
	uint32_t irregular;
	int32_t ended;

	uint32_t nranges, npages;
	struct {
		uintptr_t low, high;
	} ranges[FIBER_RANGES];
	uintptr_t pages[FIBER_PAGES]; /* that have been written to in some run */

	_Alignas(FIBER_PAGE) char stack[FIBER_STACK]; /* of the manager */
	char signal_stack[FIBER_STACK];
	char was[FIBER_PAGES][FIBER_PAGE]; /* what was in the pages */
};

extern struct fiber_kept *fiber_kept;

/* ---- fiber_switch.c ---- */

void fiber_switch_start(void);
/* Saves the registers, and goes on where others were saved. */
void fiber_switch_to(uint64_t *save, uint64_t sp, uint64_t base);
/* The second half of it. */
_Noreturn void fiber_switch_load(uint64_t unused, uint64_t sp, uint64_t base);
/*
 * What the thread of a fiber (arg) does: makes ready, saves its registers, says so, and stops for ever.  Who
 * goes on there is another kernel thread, with what the fiber is to run.  That has its frames where it would
 * have them in a thread that has begun with it: words on stacks are known by where they lie.
 */
void *fiber_switch_life(void *arg);
/* A stack, which ends there, for f to run on when it is loaded. */
uint64_t fiber_switch_new(char *end, void (*f)(void));
/* A system call that is not caught; as the kernel answers. */
long fiber_switch_call(long number, long a, long b, long c, long d, long e, long f);
/* Where the kernel sees it. */
extern const char fiber_switch_called[];

/* ---- fiber.c ---- */

/* In its thread, before that stops. */
void fiber_prepare(struct fiber *f);

/* At the end of a signal handler: the running one has ended; the run has, regular or not. */
void fiber_end_from(ucontext_t *u);
void fiber_leave_from(ucontext_t *u);
void fiber_irregular_from(ucontext_t *u, uint32_t why);

/* ---- fiber_memory.c ---- */

/* Looks at what there is.  False: it does not fit. */
bool fiber_memory_start(void);
/* From now on it is noticed what is written to. */
bool fiber_memory_protect(void);
/* All is again as it was. */
void fiber_memory_restore(void);
/* Somebody is about to write there.  False: that is a fault, or there is too much. */
bool fiber_memory_write(uintptr_t at, size_t n);
/* Somebody could not do what he wanted there.  True: he can try again. */
bool fiber_memory_fault(uintptr_t at);

/* ---- fiber_call.c ---- */

/* From now on system calls are caught.  False: they cannot be. */
bool fiber_call_start(void);
/* The kernel's own signal action, with a handler on the other stack. */
bool fiber_call_handle(int signal, void (*f)(int, siginfo_t *, void *));

#endif /* CAPTURE_FIBER_PRIV_H */
