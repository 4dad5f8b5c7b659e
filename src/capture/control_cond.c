/*
 * Condition waits of a controlled program.  The runtime does them itself, for as long as the program
 * lives: the library would let a thread sleep and wake at moments that no gate sees, and take the
 * mutex again inside its call.
 *
 * While the order goes on, a waiter is woken by its gate and not by a signal: the plan names the one
 * that ended the wait.  A wait that the order does not end is ended by whoever signals afterwards.
 */
#include <errno.h>

#include "capture/lock_priv.h"
#include "capture/control_priv.h"
#include "capture/real.h"
#include "capture/sync.h"
#include "capture/sys.h"

static struct sys_lock waiters_lock;
static struct control *waiters; /* in the order of their waits */

static void enqueue(struct control *c, const void *cond)
{
	struct control **at = &waiters;

	c->seat->signalled = 0;
	c->seat->cond = (uintptr_t)cond;
	c->cond = cond;
	c->next_waiter = NULL;
	sys_lock_take(&waiters_lock);
	while (*at != NULL)
		at = &(*at)->next_waiter;
	*at = c;
	sys_lock_drop(&waiters_lock);
}

static void dequeue(struct control *c)
{
	struct control **at = &waiters;

	sys_lock_take(&waiters_lock);
	while (*at != NULL && *at != c)
		at = &(*at)->next_waiter;
	if (*at != NULL)
		*at = c->next_waiter;
	sys_lock_drop(&waiters_lock);
	c->cond = NULL;
	c->seat->cond = 0;
}

void control_cond_wake(const void *cond, bool everybody)
{
	int saved = errno;

	sys_lock_take(&waiters_lock);
	for (struct control *c = waiters; c != NULL; c = c->next_waiter) {
		if (c->cond != cond || c->seat->signalled)
			continue;
		__atomic_store_n(&c->seat->signalled, 1, __ATOMIC_RELEASE);
		control_wake(&c->seat->signalled);
		if (!everybody)
			break;
	}
	sys_lock_drop(&waiters_lock);
	errno = saved;
}

/* ETIMEDOUT, or 0: somebody has signalled. */
static int sleep_until(struct control *c, const struct timespec *until, clockid_t clock)
{
	int op = FUTEX_WAIT_BITSET | (clock == CLOCK_MONOTONIC ? 0 : FUTEX_CLOCK_REALTIME);
	const struct timespec pause = { 0, 1000000 };

	while (__atomic_load_n(&c->seat->signalled, __ATOMIC_ACQUIRE) == 0) {
		if (until == NULL)
			control_sleep(&c->seat->signalled, 0);
		else if (!control_is_free()) /* its time has come to a stop */
			syscall(SYS_nanosleep, &pause, NULL);
		else if (syscall(SYS_futex, &c->seat->signalled, op, 0, until, NULL,
				 FUTEX_BITSET_MATCH_ANY) != 0 &&
			 errno == ETIMEDOUT)
			return ETIMEDOUT;
	}
	return 0;
}

/* Nobody ends this wait before the point. */
static int wait_on(struct control *c, const struct cond_wait *w)
{
	int r;

	if (!control_is_free()) {
		control_progress(c, 2 * c->part->nsteps);
		__atomic_store_n(&c->seat->state, PLAN_WAITS, __ATOMIC_RELEASE);
		control_ring();
	}
	r = sleep_until(c, w->until, w->clock);
	if (!control_is_free() && !c->targeted)
		control_stop(c);
	__atomic_store_n(&c->seat->state, PLAN_RUNS, __ATOMIC_RELEASE);
	return r;
}

/* The order ends it: the gates of WAKE and of the acquire. */
static int wait_as_planned(struct control *c, struct thread *t, const struct cond_wait *w)
{
	const struct plan_step *s;
	int r = 0;

	c->op.kind = FORMAT_K_WAKE;
	c->op.addr = (uintptr_t)w->cond;
	control_gate_solid(c, t, 0);
	s = control_step(c);
	if (s != NULL && s->solids == c->solids && (s->flags & PLAN_FAILS))
		r = ETIMEDOUT;
	c->op.kind = FORMAT_K_ACQ;
	c->op.addr = (uintptr_t)w->mutex;
	if (!control_is_free())
		control_gate_solid(c, t, 1);
	return r;
}

int control_cond_wait(const struct cond_wait *w)
{
	struct thread *t = hook_enter();
	struct control *c = t != NULL ? t->control : NULL;
	int r;

	if (c == NULL) {
		if (t != NULL)
			hook_leave(t);
		return w->wait(w);
	}
	enqueue(c, w->cond);
	REAL(pthread_mutex_unlock)(w->mutex);
	hook_leave(t);
	control_done();
	t = hook_enter();
	c->op = (struct plan_op){
		.site = t->view.call_site, .len = 1, .class = PLAN_SOLID, .writes = true
	};
	if (!control_is_free() && !c->targeted && !control_is_beyond(c))
		r = wait_as_planned(c, t, w);
	else
		r = wait_on(c, w);
	dequeue(c);
	c->gated = true;
	c->op.kind = FORMAT_K_WAKE; /* is logged next, and has had its gate */
	hook_leave(t);
	REAL(pthread_mutex_lock)(w->mutex);
	return r;
}
