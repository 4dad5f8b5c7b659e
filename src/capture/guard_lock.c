/*
 * Locks of guarded programs, most of which have nothing to say: the thread knows what lies there, and that lies there
 * which it would leave.  So this looks before anything else is done, and at little.
 *
 * Threads: cells of locks are used by those who hold them, so this looks without the cell's lock; of a read lock only
 * at what readers do not change, and at one pointer.  A signal handler may come in between: what it does comes after.
 */
#include "capture/guard_priv.h"

#include "capture/lock_priv.h"
#include "capture/real.h"
#include "capture/sync.h"

/* The guard of the calling thread, if its events on locks may be nothing; NULL: they are something. */
static inline struct guard *own_guard(void)
{
	const struct thread *t = thread_self();

	return t->view.live == (THREAD_LIVE | THREAD_CONTROLLED) && guard_of(t)->brief ? guard_of(t)
										       : NULL;
}

static inline bool takes_nothing(struct guard *g, const struct guard_cell *c, enum know_how how)
{
	if (c == NULL || !know_is_still(&g->k) || !know_has(&g->k, &c->cell, how))
		return false;
	g->held++;
	return true;
}

static inline bool leaves_nothing(struct guard *g, const struct guard_cell *c, enum know_how how)
{
	if (c == NULL || !know_is_still(&g->k) || !know_has_left(&g->k, &c->cell, how))
		return false;
	g->held -= g->held != 0;
	return true;
}

bool guard_brief(unsigned kind, const void *obj)
{
	bool takes = kind == FORMAT_K_ACQ || kind == FORMAT_K_RACQ;
	bool reads = kind == FORMAT_K_RACQ || kind == FORMAT_K_RREL;
	struct guard *g = own_guard();
	const struct guard_cell *c = g != NULL ? guard_cell_find(obj, GUARD_CELL_LOCK, 0) : NULL;

	return (takes ? takes_nothing : leaves_nothing)(g, c, reads ? KNOW_READS : KNOW_WRITES);
}

/* A guard wants to know of no request, and so of no try.  Where to look is found while nobody waits for it: what comes
 * after the lock is on everybody's way. */
int guard_mutex_lock(pthread_mutex_t *m)
{
	struct guard *g = own_guard();
	const struct guard_cell *c = g != NULL ? guard_cell_find(m, GUARD_CELL_LOCK, 0) : NULL;
	int r = REAL(pthread_mutex_lock)(m);

	return r == 0 && takes_nothing(g, c, KNOW_WRITES) ? 0 : lock_mutex_tried(m, 0, r);
}

int guard_mutex_unlock(pthread_mutex_t *m)
{
	struct guard *g = own_guard();
	const struct guard_cell *c = g != NULL ? guard_cell_find(m, GUARD_CELL_LOCK, 0) : NULL;
	bool held;

	/* The library refuses none that is of the plain kind and locked. */
	if (m->__data.__kind == PTHREAD_MUTEX_NORMAL && m->__data.__lock != 0 &&
	    leaves_nothing(g, c, KNOW_WRITES))
		return REAL(pthread_mutex_unlock)(m);
	held = lock_mutex_leave(m);
	return lock_mutex_left(m, held, REAL(pthread_mutex_unlock)(m));
}
