/*
 * The life of threads, for POSIX and C11 names alike (both handles are a
 * pthread_t).
 */
#ifndef CAPTURE_CREATE_PRIV_H
#define CAPTURE_CREATE_PRIV_H

#include "capture/common.h"

/* What a new thread is to do; its maker leaves it in the block of the new thread. */
struct create_start {
	void (*run)(void); /* cast back by the trampoline that knows its type */
	void *arg;
	struct thread *thread;
	sigset_t mask; /* its maker's signal mask, and whether to take it on */
	bool masked;
	uint32_t go; /* futex: 1 when the maker has logged all about it */
};

/* One call of pthread_create or thrd_create. */
struct create_call {
	pthread_t *handle;
	const pthread_attr_t *attr; /* NULL: default */
	void (*run)(void);
	void *arg;
	/* The real call: runs a trampoline with `start', or if that is NULL the bare routine.
	 * Sets result; true if there is a new thread. */
	bool (*create)(struct create_call *c, struct create_start *start);
	int result;
};

void create_thread(struct create_call *c);
/* Waits until all threads that were made have made the system calls that beginning takes. */
void create_settle(void);

/* In the new thread: first thing; returns a copy of *start. */
struct create_start create_child_begin(struct create_start *start);
/* Its routine returned; it called an exit function. */
void create_child_return(void);
void create_child_exit(void);

/* For a thread that unseen code has made, and for the first one, in the thread itself: its END
 * will be logged, and a JOIN can name it. */
void create_adopted(const struct thread *t);
void create_first(const struct thread *t);

/* The number of the thread that a handle stands for, 0 unknown; asked before the call that makes
 * the handle invalid. */
uint32_t create_find(pthread_t handle);
/* A join is going to wait for it, unless it has ended; timed: not for ever. */
void create_joining(pthread_t handle, uint32_t tid, bool timed);
/*
 * That call came back with the error number r, 0 if it joined; timed: it could not have waited for
 * ever.  out, n: where the library has put the thread's result; or NULL.
 */
void create_join_done(pthread_t handle, uint32_t tid, bool timed, void *out, size_t n, int r);
void create_detach_done(pthread_t handle, uint32_t tid, int r);

#endif /* CAPTURE_CREATE_PRIV_H */
