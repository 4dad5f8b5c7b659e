/*
 * Signals of a controlled program.  The plan has the handlers that ran in the parts of its threads, each
 * at a number of solid events.
 *
 *	comes early	it is sent again, and blocked until its thread has got there
 *	comes late	the thread waits, before its next solid event
 *	to another	one that was sent to the process: it is sent on to the thread that the plan has it in
 *	not planned	held until everybody is free
 */
#include <signal.h>

#include "capture/baton.h"
#include "capture/channel.h"
#include "capture/sys.h"

#define LOOK_AHEAD 8		 /* steps */
#define BIT(n) (1ull << ((n)-1)) /* in a mask as the kernel has it */

/* What stands for it in the plan. */
static uint64_t signal_of(int n)
{
	return PLAN_SIGNAL_OF((uintptr_t)channel_object(channel_of_signal(n)));
}

/* Is a handler what comes next? */
static bool is_due(const struct control *c)
{
	const struct plan_step *s = control_step(c);

	return s != NULL && s->class == PLAN_SIGNAL && s->solids == c->solids && !c->targeted &&
	       !c->calling && !control_is_free();
}

/* Its handler? */
static bool is_now(const struct control *c, uint64_t signal)
{
	return is_due(c) && control_step(c)->value == signal;
}

/* Does the plan have the signal in the rest of the thread's part? */
static bool is_to_come(const struct control *c, uint64_t signal)
{
	for (uint32_t i = c->next; i < c->part->nsteps; i++)
		if (c->steps[i].class == PLAN_SIGNAL && c->steps[i].value == signal)
			return true;
	return false;
}

/* Of the others: the one that waits for it now; else, unless this one keeps it, one that it is to come to. */
int control_signal_owner(int n)
{
	const struct thread *t = thread_self();
	const struct control *own = t->control, *to = NULL;
	uint64_t signal = signal_of(n);
	bool keeps;

	if (own == NULL || control_is_free() || is_now(own, signal))
		return 0;
	keeps = is_to_come(own, signal);
	for (const struct control *c = control_newest(); c != NULL; c = c->older) {
		if (c->seat->kernel == 0 || c == own)
			continue;
		if (is_now(c, signal))
			return (int)c->seat->kernel;
		if (!keeps && to == NULL && is_to_come(c, signal))
			to = c;
	}
	return to != NULL ? (int)to->seat->kernel : 0;
}

bool control_signal_runs(int n, bool can_wait)
{
	const struct thread *t = thread_self();
	struct control *c = t->control;

	if (c == NULL)
		return true;
	baton_signal_moved();
	c->held &= ~BIT(n);
	if (c->index == CONTROL_OUTSIDE || c->targeted || control_is_free())
		return true;
	if (is_now(c, signal_of(n))) {
		control_over(c, false);
		__atomic_fetch_add(&c->handled, 1, __ATOMIC_RELEASE);
		return true;
	}
	if (can_wait)
		c->held |= BIT(n);
	return !can_wait;
}

/* Of those that are held: whose time has come. */
static uint64_t in_time(const struct control *c)
{
	uint64_t now = 0;

	if (c->held == 0 || control_is_free())
		return c->held;
	for (int n = 1; n < _NSIG; n++)
		if ((c->held & BIT(n)) && is_now(c, signal_of(n)))
			now |= BIT(n);
	return now;
}

uint64_t control_signal_held(bool all)
{
	const struct control *c = thread_self()->control;

	return c == NULL ? 0 : all ? c->held : c->held & ~in_time(c);
}

void control_signal_look(struct control *c)
{
	uint64_t now = in_time(c);

	if (now != 0)
		syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &now, NULL, sizeof(now));
}

/* Reads are not held back, but for those that the plan has behind the handler. */
static bool is_behind(const struct control *c, uint32_t site)
{
	uint32_t key = control_key(site);

	for (uint32_t i = c->next; i < c->part->nsteps && i <= c->next + LOOK_AHEAD; i++)
		if (c->steps[i].class == PLAN_READ && c->steps[i].key == key)
			return true;
	return false;
}

void control_signal_await(struct thread *t, uint32_t read_site)
{
	struct control *c = t->control;
	uint32_t now;

	if (!is_due(c) || (read_site != 0 && !is_behind(c, read_site)))
		return;
	control_signal_look(c);
	hook_leave(t); /* its handler has hooks of its own */
	while (now = __atomic_load_n(&c->handled, __ATOMIC_ACQUIRE), is_due(c)) {
		__atomic_store_n(&c->seat->state, PLAN_AWAITS, __ATOMIC_RELEASE);
		control_sleep(&c->handled, now);
	}
	__atomic_store_n(&c->seat->state, PLAN_RUNS, __ATOMIC_RELEASE);
	if (hook_enter() == NULL)
		t->view.live &= ~THREAD_LIVE;
}
