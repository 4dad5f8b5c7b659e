/*
 * Locks of guarded programs, most of which have nothing to say: the thread knows what lies there, and that lies there
 * which it would leave.  So this looks before anything else is done, and at little.
 *
 * Threads: cells of locks are used by those who hold them, so this looks without the cell's lock; of a read lock only
 * at what readers do not change, and at one pointer.  A signal handler may come in between: what it does comes after.
 */
#include "capture/guard_priv.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/*
 * Mutexes of the plain kind that nobody waits for are taken and given back here, as the library would do it: two calls of
 * it are what the rest costs.  What it keeps in a mutex is as in lock.c.
 *
 * Where threads know the same things they share one vector (know.c), and so do the mutexes that they leave it in: then
 * one look at the pointer tells.
 */
static inline struct guard *mutex_guard(const pthread_mutex_t *m)
{
	const struct thread *t = thread_self();

	return t->view.live == (THREAD_LIVE | THREAD_CONTROLLED) && guard_of(t)->owner != 0 &&
			       m->__data.__kind == PTHREAD_MUTEX_NORMAL
		       ? guard_of(t)
		       : NULL;
}

static inline bool is_settled(const struct guard *g, const struct guard_cell *c)
{
	return c->cell.closed == g->settled &&
	       g->renames == __atomic_load_n(&guard_world.renames, __ATOMIC_ACQUIRE);
}

static void settle(struct guard *g)
{
	g->owner = lock_owner_self();
	g->renames = g->k.renames;
	g->settled = know_is_still(&g->k) && !g->k.dirty && g->k.published != NULL
			     ? g->k.published
			     : GUARD_UNSETTLED;
}

static inline bool mutex_take(const struct guard *g, pthread_mutex_t *m)
{
	int free = 0;

	if (!__atomic_compare_exchange_n(&m->__data.__lock, &free, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	m->__data.__owner = g->owner;
	m->__data.__nusers++;
	return true;
}

static inline void mutex_give(pthread_mutex_t *m)
{
	m->__data.__owner = 0;
	m->__data.__nusers--;
	if (UNLIKELY(__atomic_exchange_n(&m->__data.__lock, 0, __ATOMIC_RELEASE) > 1))
		syscall(SYS_futex, &m->__data.__lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* It has been taken: what is there to learn? */
static __attribute__((noinline)) int mutex_taken(struct guard *g, const struct guard_cell *c,
						 pthread_mutex_t *m, int r)
{
	if (r != 0 || !takes_nothing(g, c, KNOW_WRITES))
		r = lock_mutex_tried(m, 0, r);
	if (g != NULL && g->brief)
		settle(g);
	return r;
}

/* A guard wants to know of no request, and so of no try.  Where to look is found while nobody waits for it: what comes
 * after the lock is on everybody's way. */
static __attribute__((noinline)) int mutex_lock(pthread_mutex_t *m)
{
	struct guard *g = own_guard();
	const struct guard_cell *c = g != NULL ? guard_cell_find(m, GUARD_CELL_LOCK, 0) : NULL;

	return mutex_taken(g, c, m, REAL(pthread_mutex_lock)(m));
}

static __attribute__((noinline)) int mutex_unlock(pthread_mutex_t *m)
{
	struct guard *g = own_guard();
	const struct guard_cell *c = g != NULL ? guard_cell_find(m, GUARD_CELL_LOCK, 0) : NULL;
	bool held;

	/* The library refuses none that is of the plain kind and locked. */
	if (m->__data.__kind == PTHREAD_MUTEX_NORMAL && m->__data.__lock != 0 &&
	    leaves_nothing(g, c, KNOW_WRITES))
		return REAL(pthread_mutex_unlock)(m);
	held = lock_mutex_leave(m);
	if (g != NULL && g->brief)
		settle(g);
	return lock_mutex_left(m, held, REAL(pthread_mutex_unlock)(m));
}

int guard_mutex_lock(pthread_mutex_t *m)
{
	struct guard *g = mutex_guard(m);
	const struct guard_cell *c = guard_cell_first(m, GUARD_CELL_LOCK, 0);

	if (g == NULL || !guard_cell_is(c, m, GUARD_CELL_LOCK, 0) || !mutex_take(g, m))
		return mutex_lock(m);
	g->taken[g->held % GUARD_TAKEN] = (struct guard_taken){ m, c };
	if (!is_settled(g, c))
		return mutex_taken(g, c, m, 0);
	g->held++;
	return 0;
}

int guard_mutex_unlock(pthread_mutex_t *m)
{
	struct guard *g = mutex_guard(m);
	const struct guard_taken *last = g != NULL ? &g->taken[(g->held - 1) % GUARD_TAKEN] : NULL;

	if (last == NULL || last->mutex != m || m->__data.__lock == 0 || g->held == 0 ||
	    !is_settled(g, last->cell))
		return mutex_unlock(m);
	g->held--;
	mutex_give(m);
	return 0;
}
