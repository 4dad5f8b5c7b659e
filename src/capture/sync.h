/*
 * What interposed library functions log.
 *
 * Shape of a wrapper:
 *
 *	int pthread_mutex_lock(pthread_mutex_t *m)
 *	{
 *		int r = REAL(pthread_mutex_lock)(m);
 *
 *		if (r == 0)
 *			HOOK(t)
 *				sync_log(t, FORMAT_K_ACQ, FORMAT_LOCK_MUTEX, m);
 *		return r;
 *	}
 *
 * Acquire-like operations are logged after the real one returned, release-like
 * ones before the real one is called; then the order of the log on one object
 * is an order in which the object allows the operations.  errno is the
 * program's: hook_enter .. hook_leave keeps it (sync_log makes no system call
 * on its fast path; the slow path saves errno itself).
 *
 * The site of the operation is t->view.call_site, set by the instrumented
 * caller; the lock recorder finds it on the stack (locks_site.h).
 */
#ifndef CAPTURE_SYNC_H
#define CAPTURE_SYNC_H

#include "capture/log.h"
#include "capture/module.h"

/* hook_enter's slow path: adopts an unknown thread, or notes a nested hook. */
struct thread *hook_enter_slow(struct thread *t) COLD;

/* The calling thread, ready to log, or NULL: do the real thing only. */
static inline struct thread *hook_enter(void)
{
	struct thread *t = thread_self();

	if (UNLIKELY(t->view.live != THREAD_LIVE))
		return hook_enter_slow(t);
	t->view.live = 0;
	__asm__ volatile("" ::: "memory");
	return t;
}

/* A signal was put off until the end of the hook: now it is delivered (signal.c). */
void hook_signal(struct thread *t) COLD;
/* The same, and returns x: a tail call, so that hooks need no stack frame. */
uint64_t hook_signal_with(struct thread *t, uint64_t x);

/* live |= THREAD_LIVE, by one instruction, so that no signal can come in between.  True:
 * hook_signal is due (the sign bit is THREAD_SIGNALLED). */
static inline bool hook_end(struct thread *t)
{
	__asm__ goto("orl %1, %0\n\tjs %l[delayed]"
		     :
		     : "m"(t->view.live), "i"(THREAD_LIVE)
		     : "memory", "cc"
		     : delayed);
	return false;
delayed:
	return true;
}

static inline void hook_leave(struct thread *t)
{
	if (hook_end(t))
		hook_signal(t);
}

/* hook_enter, for an access at site: NULL also if the user asked not to record it. */
static inline struct thread *hook_enter_at(uint32_t site)
{
	struct thread *t = hook_enter();

	if (t != NULL && module_patterns && module_skips(site)) {
		hook_leave(t);
		return NULL;
	}
	return t;
}

/* The statement that follows is done inside a hook of t, the calling thread, or not at all.  No
 * return or break out of it. */
#define HOOK(t) for (struct thread *t = hook_enter(); t != NULL; hook_leave(t), t = NULL)

/*
 * Ends the epoch and logs one operation on the object at obj, replacing the
 * object's version (TRYFAIL, SEM_FAIL, REQ and RREQ only name it).  A call in vain (sync.c) ends no
 * epoch, and is not logged right after another like it.  Returns the last event's
 * number.  The 1, 2 variants carry arguments, in the order of TRACE_FORMAT.md.
 */
uint64_t sync_log(struct thread *t, unsigned kind, unsigned aux, const void *obj);
uint64_t sync_log1(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint64_t a);
uint64_t sync_log2(struct thread *t, unsigned kind, unsigned aux, const void *obj, uint64_t a,
		   uint64_t b);

/* May the object be used past the recorder, by other processes or at another address? */
bool sync_is_elsewhere(const void *obj);

/* Events about threads: site, then one or two arguments; no object. */
uint64_t sync_thread(struct thread *t, unsigned kind, unsigned aux, uint64_t a, uint64_t b,
		     unsigned nargs);
/* Unseen code runs here (aux: FORMAT_OPAQUE_READS or 0), which was given n pointers; a fence. */
void sync_opaque(struct thread *t, uint32_t site, unsigned aux, const void *const *given,
		 unsigned n);
void sync_fence(struct thread *t, int order, uint32_t site);
/*
 * BLOCK and USER: site, name (NULL: "", at most SYNC_NAME bytes), NUL, then the arguments, at most
 * SYNC_WORDS of them.
 */
#define SYNC_NAME 127u
#define SYNC_WORDS 8u
void sync_words(struct thread *t, unsigned kind, unsigned aux, const char *name,
		const uint64_t *args, unsigned nargs);
/* NAME: bytes, no event. */
void sync_name(struct thread *t, const char *name, size_t n);

#endif /* CAPTURE_SYNC_H */
