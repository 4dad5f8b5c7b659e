/*
 * Many runs of the program in one process: its threads are fibers, and its memory is put back to what
 * it was between two runs.
 *
 * A child of the server (baton_serve.c) makes as many threads as a run needs.  Each of them stops for
 * ever before it has done anything, and from then on one kernel thread does everything: to hand over
 * the baton is to go on with the registers and the thread pointer of another one.  Stacks, thread-local
 * storage and handles are real, so the C library does not notice.
 *
 *	fiber.c		threads, and the life of a run
 *	fiber_switch.c	from one to the other
 *	fiber_memory.c	what a run has written, and what was there before
 *	fiber_call.c	system calls of a run
 *	fiber_server.c	who does the next run: they, or a child
 *
 * All that a run can do to the world outside of its memory is a system call, and these are caught:
 * those that change nothing are done or answered, any other ends the run as *irregular*.  So does
 * whatever is not known to be the same as in a process of its own.  An irregular run counts for
 * nothing: it is done again, by a child that is forked.
 *
 * Threads: there is one.
 */
#ifndef CAPTURE_FIBER_H
#define CAPTURE_FIBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/hint.h"

/* Does this process run so?  Set before the first run, and never again. */
#if defined FORESEE_LOCKS || !defined __x86_64__
#define fiber_on false
#else
extern bool fiber_on;
#endif

/* ---- in the server ---- */

enum fiber_answer {
	FIBER_RUNS,  /* this is a run */
	FIBER_HANDS, /* a run was asked for, and is to be done by a child */
	FIBER_NONE,  /* nothing was asked for, and who listens is the server */
};

/* Has runs done by fibers for as long as these are regular. */
enum fiber_answer fiber_server_listen(void);
/* A child has done a run: if fibers have done it before, was that the same? */
void fiber_server_compare(int ended);

/* In a child of the server: becomes a process of fibers.  False: it cannot be done here, or for this
 * program.  True: a run begins; it comes back so once for each that the explorer asks for. */
bool fiber_serve(void);

/* ---- while fiber_on ---- */

/* The thread that was announced last; the same as pthread_create, but it does not run yet. */
int fiber_create(pthread_t *handle, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
/* Its maker waits until it has come to its first operation; it goes back when it has. */
void fiber_begin(uint32_t thread);
void fiber_begun(void);
/* Another one goes on; returns when it is this one's turn again. */
void fiber_switch(uint32_t thread);
/* The running one is about to end: then that one goes on. */
void fiber_ends(uint32_t thread);
void fiber_ends_first(void); /* before its first operation: its maker */
/* Nothing of the C library is left to do at its end, if it has not used its heap: does not return then. */
void fiber_gone(void);
/* It uses the library's heap, which keeps something for it. */
void fiber_allocates(void);
/* Of the running one: the number that the kernel would know it by, and its stack. */
int fiber_tid(void);
void fiber_stack(uintptr_t *low, uintptr_t *high);
/* Zeroed memory until the end of the run; NULL: there is none. */
void *fiber_pages(size_t n);

/* Can it be read?  The kernel is asked, by a call that reads it and does nothing else. */
bool fiber_reads(const void *p);

/* The run is over, with that status; it counts for nothing: why, an enum baton_irregular. */
_Noreturn void fiber_leave(int status);
_Noreturn void fiber_irregular(uint32_t why);

#endif /* CAPTURE_FIBER_H */
