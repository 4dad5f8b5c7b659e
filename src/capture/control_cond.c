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
#include "capture/baton.h"
#include "capture/real.h"
#include "capture/sync.h"
#include "capture/sys.h"

static struct sys_lock waiters_lock;
static struct control *waiters; /* in the order of their waits */

static void enqueue(struct control *c, const void *cond)
{
	struct control **at = &waiters;

	__atomic_fetch_and(&c->seat->signalled, PLAN_BY_CANCEL, __ATOMIC_ACQ_REL);
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

static void rouse(struct plan_seat *s, uint32_t by)
{
	__atomic_fetch_or(&s->signalled, by, __ATOMIC_ACQ_REL);
	control_wake(&s->signalled);
}

/* It may be about to wait. */
void control_cond_cancel(pthread_t handle)
{
	if (baton_is_on()) {
		baton_cancel(handle);
		return;
	}
	for (struct control *c = control_newest(); c != NULL; c = c->older)
		if (c->seat->handle == (uint64_t)handle)
			rouse(c->seat, PLAN_BY_CANCEL);
}

void control_cond_wake(const void *cond, bool everybody)
{
	int saved = errno;

	if (baton_is_on()) {
		baton_cond_wake(cond, everybody);
		return;
	}
	sys_lock_take(&waiters_lock);
	for (struct control *c = waiters; c != NULL; c = c->next_waiter) {
		if (c->cond != cond || (c->seat->signalled & PLAN_BY_SIGNAL))
			continue;
		rouse(c->seat, PLAN_BY_SIGNAL);
		if (!everybody)
			break;
	}
	sys_lock_drop(&waiters_lock);
	errno = saved;
}

/* Does the thread end when it is asked to? */
static bool can_be_cancelled(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_setcancelstate(state, NULL);
	return state == PTHREAD_CANCEL_ENABLE;
}

/*
 * ETIMEDOUT, ECANCELED, or 0: somebody has signalled.  The time of a thread of the plan stands still
 * until everybody is free, so that a deadline means nothing before.
 */
static int sleep_until(struct control *c, const struct timespec *until, clockid_t clock)
{
	int op = FUTEX_WAIT_BITSET | (clock == CLOCK_MONOTONIC ? 0 : FUTEX_CLOCK_REALTIME);
	uint32_t *word = &c->seat->signalled, now;

	while (!((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) & PLAN_BY_SIGNAL)) {
		control_signal_look(c);
		if ((now & PLAN_BY_CANCEL) && can_be_cancelled()) {
			return ECANCELED;
		} else if (until == NULL || (c->index != CONTROL_OUTSIDE && !control_is_free())) {
			control_sleep(word, now);
		} else if (syscall(SYS_futex, word, op, now, control_time_due(until), NULL,
				   FUTEX_BITSET_MATCH_ANY) != 0 &&
			   errno == ETIMEDOUT) {
			return ETIMEDOUT;
		}
	}
	return 0;
}

/* Nobody ends this wait before the point.  Outside of the hook: a handler that comes behind the point runs at
 * once, as in the library's wait, and not when the wait is over. */
static int wait_on(struct control *c, struct thread *t, const struct cond_wait *w)
{
	int r;

	if (!control_is_free()) {
		control_progress(c, 2 * c->part->nsteps);
		c->seat->limited = w->until != NULL;
		__atomic_store_n(&c->seat->state, PLAN_WAITS, __ATOMIC_RELEASE);
		control_ring();
	}
	hook_leave(t);
	r = sleep_until(c, w->until, w->clock);
	if (hook_enter() == NULL)
		t->view.live &= ~THREAD_LIVE;
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
	if (s != NULL && s->solids == c->solids && (s->flags & PLAN_CANCELLED))
		r = sleep_until(c, NULL, 0);
	c->op.kind = FORMAT_K_ACQ;
	c->op.addr = (uintptr_t)w->mutex;
	if (!control_is_free())
		control_gate_solid(c, t, 1);
	return r;
}

void control_park_slow(const struct cond_wait *w)
{
	if (!baton_is_on()) {
		control_call_slow(FORMAT_K_REL, 0, w->mutex);
		return;
	}
	HOOK(t)
		if (CONTROLLED(t))
			baton_wait(t->control, w, t->view.call_site);
}

int control_barrier(pthread_barrier_t *b)
{
	int r = 0;

	HOOK(t)
		if (CONTROLLED(t))
			r = baton_barrier(t->control, b, t->view.call_site);
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
	if (baton_is_on()) {
		r = baton_cond_wait(c, w);
		hook_leave(t);
		if (r == ECANCELED)
			pthread_testcancel(); /* cleanup handlers find the mutex locked */
		return r == ECANCELED ? 0 : r;
	}
	enqueue(c, w->cond);
	REAL(pthread_mutex_unlock)(w->mutex);
	hook_leave(t);
	control_done();
	t = hook_enter();
	control_signal_await(t, 0);
	c->op = (struct plan_op){
		.site = t->view.call_site, .len = 1, .class = PLAN_SOLID, .writes = true
	};
	if (!control_is_free() && !c->targeted && !control_is_beyond(c))
		r = wait_as_planned(c, t, w);
	else
		r = wait_on(c, t, w);
	dequeue(c);
	c->gated = true;
	c->op.kind = FORMAT_K_WAKE; /* is logged next, and has had its gate */
	hook_leave(t);
	REAL(pthread_mutex_lock)(w->mutex);
	if (r == ECANCELED)
		pthread_testcancel(); /* cleanup handlers find the mutex locked */
	return r;
}
