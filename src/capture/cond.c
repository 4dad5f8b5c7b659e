/*
 * Condition variables.
 *
 *	waiter                          signaller
 *	REQ c
 *	REL m (wait)
 *	PARK c
 *	real wait ...                   SIGNAL c, waiters seen
 *	                                real signal
 *	WAKE c, which signal
 *	ACQ m (wait)
 *
 * glibc does not say which signal woke a waiter, so each condition keeps the
 * list of what happened to it and is not settled yet:
 *
 *	wait T2   wait T3   signal (T1, 17)   wait T4
 *
 * A waiter that comes back takes a broadcast that stands after it in the list, else the first
 * signal that does, else none: it woke by itself.  What then stands at the head of the list and is
 * no wait can wake nobody any more, and is removed.  A signal that finds no unsettled wait is not
 * put into the list at all, so the list is never longer than twice its waits.
 *
 * With two waiters and two signals in flight the pairs may be swapped against
 * what the kernel did; no program can tell.  A signal sent without the mutex between
 * PARK and the real wait is lost in the program, yet may be named as what woke
 * the waiter later; the order it claims (signal before wake) is still true.
 */
#include "capture/lock_priv.h"
#include "capture/object.h"

#define COND_VERSION "GLIBC_2.3.2"

/* Waits that no later signal or broadcast has to do with yet. */
static uint32_t open_waits(struct object_note **list, const void *cond)
{
	uint32_t n = 0;

	OBJECT_EACH(at, list, cond)
	{
		if ((*at)->what == OBJECT_WAIT)
			n++;
		else if ((*at)->what == OBJECT_BROADCAST)
			n = 0;
		else if ((*at)->what == OBJECT_SIGNAL && n > 0)
			n--;
	}
	return n;
}

void cond_wake(pthread_cond_t *c, unsigned kind)
{
	struct object_note **list;
	uint64_t tseq;
	uint32_t n;

	control_call(kind, 0, c);
	HOOK(t) {
		list = object_lock(c);
		n = open_waits(list, c);
		tseq = sync_log1(t, kind, 0, c, n);
		if (n > 0)
			object_add(list, c,
				   kind == FORMAT_K_SIGNAL ? OBJECT_SIGNAL : OBJECT_BROADCAST,
				   t->tid, tseq);
		object_unlock(c);
	}
	if (control_on)
		control_cond_wake(c, kind == FORMAT_K_BROADCAST);
}

/* False: nothing is recorded. */
static bool cond_park(const struct cond_wait *w)
{
	struct thread *t;
	struct object_note **list;

	if (!lock_mutex_is_held(w->mutex)) {
		lock_refused(w->mutex, lock_mutex_aux(w->mutex));
		return false;
	}
	control_park(w);
	t = hook_enter();
	if (t == NULL)
		return false;
	sync_log(t, FORMAT_K_REQ, FORMAT_LOCK_COND, w->cond);
	lock_log(t, FORMAT_K_REL, lock_mutex_aux(w->mutex) | FORMAT_LOCK_WAIT, w->mutex);
	if (CONTROLLED(t))
		control_before(t, FORMAT_K_PARK, 0, w->cond, t->view.call_site);
	list = object_lock(w->cond);
	sync_log1(t, FORMAT_K_PARK, w->until != NULL ? FORMAT_WAIT_TIMED : 0, w->cond,
		  (uintptr_t)w->mutex);
	object_add(list, w->cond, OBJECT_WAIT, t->tid, 0);
	object_unlock(w->cond);
	hook_leave(t);
	return true;
}

/* Takes the wait of tid off the list, and (woken) with it the signal that ended it. */
static struct object_note settle(struct object_note **list, const void *cond, uint32_t tid,
				 bool woken)
{
	struct object_note **wait = object_find(list, cond, OBJECT_WAIT, tid), **signal = NULL;
	struct object_note by = { .tid = 0 }, **head;

	if (wait == NULL)
		return by;
	object_drop(wait);
	if (woken)
		OBJECT_EACH(at, wait, cond)
		{
			if ((*at)->what == OBJECT_SIGNAL && signal == NULL)
				signal = at;
			if ((*at)->what == OBJECT_BROADCAST) {
				signal = at;
				break;
			}
		}
	if (signal != NULL) {
		by = **signal;
		if (by.what == OBJECT_SIGNAL)
			object_drop(signal);
	}
	for (head = object_seek(list, cond); *head != NULL && (*head)->what != OBJECT_WAIT;
	     head = object_seek(head, cond))
		object_drop(head);
	return by;
}

static void cond_back(const struct cond_wait *w, unsigned aux, int r)
{
	unsigned lock = lock_mutex_aux(w->mutex) | FORMAT_LOCK_WAIT;
	struct object_note by;
	struct object_note **list;

	HOOK(t) {
		if (w->until != NULL)
			aux |= FORMAT_WAIT_TIMED;
		if (r == ETIMEDOUT)
			aux |= FORMAT_WAKE_TIMEOUT;
		list = object_lock(w->cond);
		by = settle(list, w->cond, t->tid, r == 0 || r == EOWNERDEAD);
		sync_log2(t, FORMAT_K_WAKE, aux, w->cond, by.tid, by.tseq);
		object_unlock(w->cond);
		if (r == EOWNERDEAD)
			lock |= FORMAT_LOCK_DEAD;
		if (r != ENOTRECOVERABLE)
			lock_log(t, FORMAT_K_ACQ, lock, w->mutex);
		else
			lock_log(t, FORMAT_K_TRYFAIL, lock | FORMAT_LOCK_REFUSED, w->mutex);
	}
}

/* The thread is being cancelled; glibc has taken the mutex again. */
static void cond_cancelled(void *w)
{
	cond_back(w, FORMAT_WAKE_CANCEL, ECANCELED);
}

int cond_wait(struct cond_wait *w)
{
	int r;

	/* An invalid time: the library refuses at once, whatever others do. */
	if ((w->until != NULL && !lock_is_time(w->clock, w->until)) || !cond_park(w))
		return w->wait(w);
	pthread_cleanup_push(cond_cancelled, w);
	r = control_on ? control_cond_wait(w) : w->wait(w);
	pthread_cleanup_pop(0);
	cond_back(w, 0, r);
	return r;
}

static int wait_forever(const struct cond_wait *w)
{
	return REAL_VERSIONED(pthread_cond_wait, COND_VERSION)(w->cond, w->mutex);
}

static int wait_until(const struct cond_wait *w)
{
	return REAL_VERSIONED(pthread_cond_timedwait, COND_VERSION)(w->cond, w->mutex, w->until);
}

static int wait_clock(const struct cond_wait *w)
{
	return REAL(pthread_cond_clockwait)(w->cond, w->mutex, w->clock, w->until);
}

#define INTERPOSED_CONDITIONS
#include "capture/interposed.def"
