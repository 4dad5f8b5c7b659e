#include "capture/input.h"

#include <stdlib.h>
#include <sys/random.h>

#include "capture/control.h"
#include "capture/guard.h"
#include "capture/real.h"
#include "capture/sync.h"
#include "trace/plan.h"

#define PIECE 4096u /* random bytes of one record */

/* Does anybody record the thread, or control it, and is it outside of hooks? */
static bool is_live(void)
{
	return (thread_self()->view.live & THREAD_LIVE) && !guard_on;
}

static void put_time(struct thread *t, unsigned how, const struct timespec *now)
{
	uint32_t site = t->view.call_site;
	uint8_t *p = log_other_begin(t, site);

	p = LOG_NUMBERS(p, format_kind_more(FORMAT_K_INPUT), site, format_zigzag(now->tv_sec));
	if (how < FORMAT_INPUT_SECONDS)
		p = log_varint(p, (uint64_t)now->tv_nsec);
	log_other_end(t, FORMAT_K_INPUT, how, p, 0);
}

/* how: FORMAT_INPUT_*, or a clock. */
static void time_given(unsigned how, const char *name, struct timespec *now)
{
	HOOK(t) {
		if (CONTROLLED(t))
			control_time_given(t, how, name, now);
		if (!CONTROL_BARE(t))
			put_time(t, how, now);
	}
}

void input_clock(clockid_t clock, const char *name, struct timespec *now)
{
	if (control_on && control_time_explored(clock, now))
		return;
	if (clock >= 0 && (unsigned)clock < PLAN_CLOCKS && is_live())
		time_given((unsigned)clock, name, now);
}

void input_time_of_day(struct timeval *now)
{
	struct timespec t;

	if (now == NULL)
		return;
	t = (struct timespec){ .tv_sec = now->tv_sec, .tv_nsec = now->tv_usec * 1000 };
	input_clock(CLOCK_REALTIME, "gettimeofday", &t);
	*now = (struct timeval){ .tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000 };
}

time_t input_seconds(time_t now, time_t *out)
{
	struct timespec t = { .tv_sec = now };

	if (!(control_on && control_time_explored(CLOCK_REALTIME, &t)) && is_live())
		time_given(FORMAT_INPUT_SECONDS, "time", &t);
	if (out != NULL)
		*out = t.tv_sec;
	return t.tv_sec;
}

clock_t input_cpu(clock_t now)
{
	struct timespec t = { .tv_sec = now };

	if (is_live() && !(control_on && control_is_baton()))
		time_given(FORMAT_INPUT_CPU, "clock", &t);
	return t.tv_sec;
}

static void put_random(struct thread *t, const uint8_t *bytes, size_t n)
{
	uint32_t site = t->view.call_site;
	uint8_t *p = log_other_room(t, site, 32 + n);

	p = LOG_NUMBERS(p, format_kind_more(FORMAT_K_INPUT), site);
	log_other_end(t, FORMAT_K_INPUT, FORMAT_INPUT_RANDOM, mempcpy(p, bytes, n), 0);
}

void input_random(const char *name, void *p, size_t n)
{
	uint8_t *bytes = p;

	if (!is_live() || (control_on && control_is_baton()))
		return;
	HOOK(t)
		for (size_t at = 0, k; at < n; at += k) {
			k = n - at < PIECE ? n - at : PIECE;
			if (CONTROLLED(t))
				control_random_given(t, name, bytes + at, k);
			if (!CONTROL_BARE(t))
				put_random(t, bytes + at, k);
		}
}

#define INTERPOSED_INPUT
#include "capture/interposed.def"
