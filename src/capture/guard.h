/*
 * Guard: monitors inside the program.  No trace, no observer: each thread carries what it knows of the others
 * (know/know.h), locks and watched variables carry copies, and a property about knowledge is judged in the
 * thread that moves, at the point where it does.
 *
 * It hangs on the gates of control.h: a guarded thread is one that is controlled, in a program whose hooks do
 * the bare thing (control_bare) and record nothing.
 *
 *	access		guard_access	is it watched?  Then its place is locked
 *			the access
 *			guard_leave	the event: take, judge, leave; unlock; recovery
 *	call		guard_sync, guard_thread, guard_words: the event; at the end of the hook, recovery
 *
 * Accesses of memory that the spec does not name cost two compares.  Memory is our own, mapped; where there is
 * no more of it the guard says so and is gone.  The program goes on in any case.
 */
#ifndef CAPTURE_GUARD_H
#define CAPTURE_GUARD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/hint.h"

struct thread;
struct control;

#ifdef FORESEE_LOCKS
#define guard_on false
#define GUARD_SKIPS(p, n) false
static inline struct control *guard_first(void)
{
	return NULL;
}
static inline bool guard_start(void)
{
	return false;
}
static inline void guard_main(void)
{
}
static inline void guard_main_is(const void *at)
{
	(void)at;
}
static inline void guard_trouble(const char *why, size_t n)
{
	(void)why, (void)n;
}
static inline void guard_forked(void)
{
}
static inline void guard_finish(void)
{
}
static inline void guard_named(struct thread *t, const char *name, size_t n)
{
	(void)t, (void)name, (void)n;
}
static inline void guard_words(struct thread *t, unsigned kind, unsigned aux, const char *name,
			       const uint64_t *words, unsigned n)
{
	(void)t, (void)kind, (void)aux, (void)name, (void)words, (void)n;
}
static inline uint64_t guard_sync(struct thread *t, unsigned kind, unsigned aux, const void *obj,
				  const uint64_t *args, unsigned n)
{
	(void)t, (void)kind, (void)aux, (void)obj, (void)args, (void)n;
	return 0;
}
static inline uint64_t guard_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t tid)
{
	(void)t, (void)kind, (void)aux, (void)tid;
	return 0;
}
static inline void guard_unseen(uint32_t site, const void *const *given, unsigned n)
{
	(void)site, (void)given, (void)n;
}
static inline bool guard_brief(unsigned kind, const void *obj)
{
	(void)kind, (void)obj;
	return false;
}
static inline int guard_mutex_lock(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}
static inline int guard_mutex_unlock(pthread_mutex_t *m)
{
	(void)m;
	return 0;
}
#else

/* Is this process guarded?  Set at the start, and never again. */
extern bool guard_on;

/* Where watched memory lies: between these, and in words whose bit is set. */
#define GUARD_WORDS 4096u
struct guard_watch {
	uintptr_t low, span;
	uint64_t words[GUARD_WORDS / 64];
};
extern struct guard_watch guard_watch;

static inline bool guard_may(const void *p, size_t n)
{
	uintptr_t at = (uintptr_t)p, first = at >> 3, last = (at + n - 1) >> 3;

	/* It begins there, or before and reaches there, perhaps beyond. */
	if (at - guard_watch.low >= guard_watch.span && guard_watch.low - at >= n)
		return false;
	if (last - first > 1)
		return true;
	return (guard_watch.words[first % GUARD_WORDS / 64] >> first % 64 & 1) ||
	       (guard_watch.words[last % GUARD_WORDS / 64] >> last % 64 & 1);
}

/* A plain access that is nobody's affair. */
#define GUARD_SKIPS(p, n) (guard_on && !guard_may(p, n))

/* By FORESEE_OPTIONS, guard=FILE: maps what the tool made of the spec.  False: nobody asked for it, or it cannot
 * be, which is said. */
bool guard_start(void);
/* main is about to begin: its variables are found. */
void guard_main(void);
/* Where it lies: handlers are found by their distance from it. */
void guard_main_is(const void *at);
/* Threads cannot be followed any more, and why. */
void guard_trouble(const char *why, size_t n);
/* The process ends: how many violations there were. */
void guard_finish(void);
/* In a forked child there are no monitors. */
void guard_forked(void);

/* As those of control.h, in a guarded program. */
struct control *guard_first(void);
struct control *guard_child(struct thread *t);
void guard_begin(struct thread *t);
void guard_end(struct thread *t);
void guard_access(struct thread *t, const void *p, size_t n, uint32_t site, unsigned how);
void guard_changed(struct thread *t);
void guard_leave(struct thread *t);

/* One event, instead of its record; the number of it. */
uint64_t guard_sync(struct thread *t, unsigned kind, unsigned aux, const void *obj,
		    const uint64_t *args, unsigned n);
uint64_t guard_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t tid);
/* ACQ, REL, RACQ, RREL of a lock that the calling thread holds, as a hook of its own.  False: there is something to do,
 * and it is not done. */
bool guard_brief(unsigned kind, const void *obj);
/* Instead of the library's functions, in a guarded process. */
int guard_mutex_lock(pthread_mutex_t *m);
int guard_mutex_unlock(pthread_mutex_t *m);
/* Code without hooks gets these pointers, and may write there. */
void guard_unseen(uint32_t site, const void *const *given, unsigned n);
void guard_words(struct thread *t, unsigned kind, unsigned aux, const char *name,
		 const uint64_t *words, unsigned n);
void guard_named(struct thread *t, const char *name, size_t n);
#endif

#endif /* CAPTURE_GUARD_H */
