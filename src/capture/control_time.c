/*
 * What depends on time.  Programs sleep so that others can go first; before the point gates say who goes
 * first, and sleeping would only take time.  What clocks say: control_clock.c; in a program that is explored,
 * baton_clock.c.
 */
#include <string.h>
#include <sys/time.h>

#include "capture/baton.h"
#include "capture/real.h"
#include "capture/sync.h"
#include "capture/sys.h"

#define MOMENT 100000 /* nanoseconds */
#define SECOND 1000000000

bool control_time_naps_slow(uint64_t ns)
{
	const struct timespec moment = { 0, MOMENT };
	const struct thread *t = thread_self();
	SYS_KEEPS_ERRNO;

	if (CONTROLLED(t) && baton_is_on()) {
		baton_yield(t->control, t->view.call_site);
		baton_clock_pass(ns);
		return true;
	}
	if (!CONTROLLED(t) || control_is_free() || control_plan->real_time)
		return false;
	syscall(SYS_nanosleep, &moment, NULL);
	return true;
}

void control_yield_slow(void)
{
	const struct thread *t = thread_self();

	if (CONTROLLED(t) && baton_is_on())
		baton_yield(t->control, t->view.call_site);
}

unsigned control_choose_slow(unsigned n)
{
	unsigned chosen = 0;

	if (baton_is_on() && n > 1 && n <= UINT16_MAX)
		HOOK(t)
			if (CONTROLLED(t)) {
				baton_serve();
				chosen = baton_choose(t->control, n, t->view.call_site);
			}
	return chosen;
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

const struct timespec *control_time_nap(const struct timespec *want, int flags)
{
	static const struct timespec none;
	bool valid =
		want != NULL && want->tv_sec >= 0 && want->tv_nsec >= 0 && want->tv_nsec < SECOND;

	if (!valid)
		return want;
	if (!control_time_naps(flags & TIMER_ABSTIME ? 0 : ns_of(want)))
		return flags & TIMER_ABSTIME ? control_time_due(want) : want;
	if ((flags & TIMER_ABSTIME) && baton_is_on())
		baton_clock_until(want);
	return &none;
}

/* The thread, if it is explored. */
static const struct control *explored(void)
{
	return baton_is_on() ? thread_self()->control : NULL;
}

void control_time_ends_slow(const struct timespec *at)
{
	const struct control *c = explored();

	if (c != NULL && baton_fails(c))
		baton_clock_until(at);
}

bool control_time_explored(clockid_t clock, struct timespec *now)
{
	if (explored() == NULL)
		return false;
	*now = baton_clock_read(clock);
	return true;
}

const struct timespec *control_time_limit_slow(const struct timespec *at)
{
	static const struct timespec past, never = { .tv_sec = INT32_MAX };
	const struct thread *t;
	const struct control *c;

	if (at == NULL || at->tv_nsec < 0 || at->tv_nsec >= SECOND)
		return at;
	t = thread_self();
	c = t->control;
	if (c != NULL && baton_is_on()) {
		control_time_ends_slow(at);
		return baton_fails(c) ? &past : &never; /* a thread's end takes a moment more */
	}
	if (c == NULL || !c->gated || control_is_free())
		return control_time_due(at);
	if (control_fails())
		return &past;
	return !control_is_beyond(c) && c->keys[c->solids] == control_key(c->op.site)
		       ? &never
		       : control_time_due(at);
}

/* The tool cannot see from outside that it is set: /proc has only timers of timer_create. */
void control_time_alarm_slow(void)
{
	struct itimerval set;
	struct timespec now;
	int64_t rings = 0;
	SYS_KEEPS_ERRNO;

	if (syscall(SYS_getitimer, ITIMER_REAL, &set) != 0)
		return;
	sys_clock(CLOCK_MONOTONIC, &now);
	if (set.it_interval.tv_sec != 0 || set.it_interval.tv_usec != 0 ||
	    set.it_value.tv_sec > INT32_MAX)
		rings = INT64_MAX;
	else if (set.it_value.tv_sec != 0 || set.it_value.tv_usec != 0)
		rings = (int64_t)ns_of(&now) + (int64_t)set.it_value.tv_sec * SECOND +
			(int64_t)set.it_value.tv_usec * 1000;
	__atomic_store_n(&control_plan->alarm, rings, __ATOMIC_RELEASE);
}

void control_time_note_slow(const char *name)
{
	const struct thread *t = thread_self();

	if (!CONTROLLED(t))
		return;
	t->control->seat->fickle_site = t->view.call_site;
	strncpy(t->control->seat->fickle, name, sizeof(t->control->seat->fickle) - 1);
}

#define INTERPOSED_TIME
#include "capture/interposed.def"
