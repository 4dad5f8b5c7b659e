/*
 * What the wrappers of locks, conditions and one-time initialisation share: POSIX and C11 objects
 * are one thing in glibc, and a condition wait gives a mutex up and takes it again.
 */
#ifndef CAPTURE_LOCK_PRIV_H
#define CAPTURE_LOCK_PRIV_H

#include "capture/sync.h"

/* The number of the calling thread, as glibc keeps it in locks. */
int lock_owner_self(void);
/* In a forked child: it has changed. */
void lock_forked(void);

/* aux of an event on this mutex: its kind, and whether it nests. */
unsigned lock_mutex_aux(const pthread_mutex_t *m);

/* Would pthread_mutex_unlock release it, or at least count it down? */
bool lock_mutex_is_held(const pthread_mutex_t *m);

/* Would a lock call of the thread, known by its kernel number, come back at once?  (It may be refused.) */
bool lock_mutex_is_free(const pthread_mutex_t *m, pid_t thread);
/* Of one that has an owner. */
pid_t lock_mutex_holder(const pthread_mutex_t *m);
/* Does it get a new owner when its own ends? */
bool lock_mutex_is_robust(const pthread_mutex_t *m);
bool lock_rwlock_is_free(const pthread_rwlock_t *l, bool reads, pid_t thread);
bool lock_spin_is_free(const pthread_spinlock_t *l);

/* Called inside the hook for every event below, once it is logged; NULL: by nobody.  Set before
 * recording begins. */
extern void (*lock_watch)(struct thread *t, unsigned kind, const void *obj);

/* Inside a hook: one event of a lock. */
static inline void lock_log(struct thread *t, unsigned kind, unsigned aux, const void *obj)
{
	sync_log(t, kind, aux, obj);
	if (UNLIKELY(lock_watch != NULL))
		lock_watch(t, kind, obj);
}

/*
 * A lock call on obj came back with the error number r.  kind: FORMAT_K_ACQ or
 * FORMAT_K_RACQ; aux with FORMAT_LOCK_TRY for the calls that may give up.
 * Returns r.
 */
int lock_tried(const void *obj, unsigned kind, unsigned aux, int r);
/* A call on obj was refused, or its effect is undefined; the reason is not recorded.  aux as in
 * FORMAT_K_TRYFAIL. */
void lock_refused(const void *obj, unsigned aux) COLD;
/* Logs one event, as a hook of its own: REL, RREL, LOCK_INIT, LOCK_DESTROY. */
void lock_note(const void *obj, unsigned kind, unsigned aux);

/*
 * A try with the error number r has not got obj, and the call will go on to wait for it: REQ for
 * kind ACQ, RREQ for RACQ.  own: the calling thread holds it, and the library will not wait but
 * refuse.
 */
void lock_request(const void *obj, unsigned kind, unsigned aux, int r, bool own);
/* Is that a time that the library accepts?  If not it refuses even a free lock, so no try may come
 * first. */
bool lock_is_time(clockid_t clock, const struct timespec *at);

/* The wrappers' bodies, for both families of names. */
void lock_mutex_request(const pthread_mutex_t *m, unsigned flags, int r) COLD;
int lock_mutex_tried(const pthread_mutex_t *m, unsigned flags, int r);
/* Before the real call; then r is what that one said.  Returns r. */
bool lock_mutex_leave(const pthread_mutex_t *m) __attribute__((noinline));
int lock_mutex_left(const pthread_mutex_t *m, bool held, int r);

/* ---- condition waits, for both families of names ---- */

struct cond_wait {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	const struct timespec *until; /* NULL: for ever */
	clockid_t clock;
	/* The real wait; returns an error number. */
	int (*wait)(const struct cond_wait *w);
};

int cond_wait(struct cond_wait *w);
/* kind: FORMAT_K_SIGNAL or FORMAT_K_BROADCAST.  Called before the real one. */
void cond_wake(pthread_cond_t *c, unsigned kind);

/* ---- one-time initialisation; call(control, routine) is the real function ---- */

int once_run(void *control, void (*routine)(void), int (*call)(void *, void (*)(void)));

/* ---- rows of interposed.def ---- */

/* The call came back with r, and l has begun or ended. */
#define BEGUN(l, aux) LOCK_NOTED(l, FORMAT_K_LOCK_INIT, aux)
#define ENDED(l, aux) LOCK_NOTED(l, FORMAT_K_LOCK_DESTROY, aux)
#define LOCK_NOTED(l, kind, aux)                                 \
	do {                                                     \
		if (r == 0)                                      \
			lock_note((const void *)(l), kind, aux); \
	} while (0)

#endif /* CAPTURE_LOCK_PRIV_H */
