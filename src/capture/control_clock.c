/*
 * Clocks and random bytes of a replayed program.  What the plan has for a call, it is given: the program is in
 * the time of the recording, and goes on from there when the plan ends, or has nothing for a call.
 *
 * Calls come in another order than in the recording, and yet no clock goes back, for then the program would
 * be shown what no run has.  Where a recorded time is before one that somebody has seen, all that is
 * recorded moves on by the difference: so between two calls that come in the order of the recording no less
 * time passes than there.
 *
 * The kernel knows nothing of this time: deadlines are turned into its own.  With --real-time clocks are
 * the real ones.
 */
#include <string.h>

#include "capture/control_priv.h"
#include "capture/sys.h"
#include "trace/format.h"

#define SECOND INT64_C(1000000000)
#define COARSE (SECOND / 100) /* a clock of ticks is behind the fine one by less */

/* Clocks that go together. */
enum family { REAL, MONOTONIC, RAW, BOOT, CPU, FAMILIES, NONE = FAMILIES };

static struct sys_lock lock; /* guards all below */
static int64_t skew;	     /* by which what is recorded has moved on */
static struct {
	bool fed;
	int64_t most;  /* that somebody has seen */
	int64_t ahead; /* the real clock, of what it says to the program */
} families[FAMILIES];

static const struct {
	enum family family;
	clockid_t clock;
	int64_t slack; /* it may be behind the others by so much */
} clocks[] = {
	[CLOCK_REALTIME] = { REAL, CLOCK_REALTIME, 0 },
	[CLOCK_MONOTONIC] = { MONOTONIC, CLOCK_MONOTONIC, 0 },
	[CLOCK_PROCESS_CPUTIME_ID] = { CPU, CLOCK_PROCESS_CPUTIME_ID, 0 },
	[CLOCK_THREAD_CPUTIME_ID] = { .family = NONE },
	[CLOCK_MONOTONIC_RAW] = { RAW, CLOCK_MONOTONIC_RAW, 0 },
	[CLOCK_REALTIME_COARSE] = { REAL, CLOCK_REALTIME, COARSE },
	[CLOCK_MONOTONIC_COARSE] = { MONOTONIC, CLOCK_MONOTONIC, COARSE },
	[CLOCK_BOOTTIME] = { BOOT, CLOCK_BOOTTIME, 0 },
	[CLOCK_BOOTTIME + 1 ... FORMAT_INPUT_SECONDS - 1] = { .family = NONE },
	[FORMAT_INPUT_SECONDS] = { REAL, CLOCK_REALTIME, COARSE },
	[FORMAT_INPUT_CPU] = { CPU, CLOCK_PROCESS_CPUTIME_ID, 1000 },
};

/* ---- numbers ---- */

static int64_t ns_of(unsigned how, const struct timespec *t)
{
	return how == FORMAT_INPUT_CPU ? t->tv_sec * 1000 : t->tv_sec * SECOND + t->tv_nsec;
}

static struct timespec time_of(unsigned how, int64_t ns)
{
	if (how == FORMAT_INPUT_CPU)
		return (struct timespec){ .tv_sec = ns / 1000 };
	return (struct timespec){ .tv_sec = ns / SECOND,
				  .tv_nsec = how == FORMAT_INPUT_SECONDS ? 0 : ns % SECOND };
}

static int64_t real_time(enum family f)
{
	for (unsigned how = 0;; how++)
		if (clocks[how].family == f) {
			struct timespec now;

			sys_clock(clocks[how].clock, &now);
			return ns_of(0, &now);
		}
}

/* ---- what is given ---- */

const struct plan_input *control_input(struct control *c, unsigned what, uint32_t site)
{
	const struct plan_input *all =
		(const struct plan_input *)((const char *)control_plan + control_plan->inputs) +
		c->part->input;
	uint32_t key;

	if (c->index == CONTROL_OUTSIDE || c->targeted || control_is_free())
		return NULL;
	while (c->input < c->part->ninputs && all[c->input].solids < c->solids)
		c->input++;
	key = c->input < c->part->ninputs ? control_key(site) : 0;
	for (uint64_t i = c->input; i < c->part->ninputs && all[i].solids == c->solids; i++)
		if (all[i].what == what && all[i].key == key) {
			c->input = i + 1;
			return &all[i];
		}
	return NULL;
}

/* The least that it may say now. */
static int64_t least(unsigned how)
{
	int64_t ns = families[clocks[how].family].most - clocks[how].slack;

	return how == FORMAT_INPUT_SECONDS ? ns / SECOND * SECOND : ns;
}

/* What is recorded, on the clock as it has moved on by now. */
static int64_t recorded(unsigned how, const struct timespec *said)
{
	int64_t ns = ns_of(how, said), low = least(how);
	bool moves = clocks[how].family != CPU;

	ns += moves ? skew : 0;
	if (ns >= low)
		return ns;
	skew += moves ? low - ns : 0;
	return low;
}

static void see(enum family f, int64_t ns)
{
	if (ns > families[f].most)
		families[f].most = ns;
}

void control_time_given(struct thread *t, unsigned how, const char *name, struct timespec *now)
{
	enum family f = clocks[how].family;
	const struct plan_input *in;
	int64_t ns;
	struct timespec said;

	if (f == NONE || !families[f].fed) {
		control_time_note_slow(name);
		return;
	}
	SYS_HOLD(&lock);
	in = control_input(t->control, how, t->view.call_site);
	if (in != NULL) {
		said = (struct timespec){ in->seconds, in->nanoseconds };
		ns = recorded(how, &said);
		see(f, ns);
		families[f].ahead = real_time(f) - families[f].most;
	} else {
		control_time_note_slow(name);
		ns = real_time(f) - families[f].ahead;
		ns = ns < least(how) ? least(how) : ns;
		see(f, ns);
	}
	*now = time_of(how, ns);
}

void control_random_given(struct thread *t, const char *name, void *p, size_t n)
{
	const struct plan_input *in =
		control_input(t->control, FORMAT_INPUT_RANDOM, t->view.call_site);

	if (in != NULL && in->n == n)
		memcpy(p, (const char *)control_plan + in->bytes, n);
	else
		control_time_note_slow(name);
}

void control_clock_start(void)
{
	for (unsigned how = 0; how < sizeof(clocks) / sizeof(clocks[0]); how++) {
		enum family f = clocks[how].family;
		int64_t first = how < PLAN_CLOCKS ? control_plan->clocks[how] : 0;

		if (f == NONE || first == 0 || control_plan->real_time)
			continue;
		if (!families[f].fed || first < families[f].most)
			families[f].most = first;
		families[f].fed = true;
		families[f].ahead = real_time(f) - families[f].most;
	}
}

/* ---- deadlines ---- */

/* Which clock a deadline is of, its call does not always say; but the two are far from each other. */
static enum family family_of(const struct timespec *at)
{
	struct timespec now;

	sys_clock(CLOCK_REALTIME, &now);
	return at->tv_sec >= now.tv_sec / 2 ? REAL : MONOTONIC;
}

const struct timespec *control_time_due_slow(const struct timespec *at)
{
	struct control *c = thread_self()->control;
	enum family f;
	int64_t ns;

	if (at == NULL || c == NULL || control_plan == NULL || at->tv_sec < 0 || at->tv_nsec < 0 ||
	    at->tv_nsec >= SECOND || at->tv_sec >= INT64_MAX / SECOND / 2)
		return at;
	f = family_of(at);
	if (!families[f].fed)
		return at;
	sys_lock_take(&lock);
	ns = at->tv_sec * SECOND + at->tv_nsec + families[f].ahead;
	sys_lock_drop(&lock);
	c->deadline = (struct timespec){ ns > 0 ? ns / SECOND : 0, ns > 0 ? ns % SECOND : 0 };
	return &c->deadline;
}
