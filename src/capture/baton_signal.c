/*
 * Signals.
 *
 * A thread that waits for one (sigwait and its like, pause, sigsuspend, a signalfd) can be chosen when it
 * is there: what the kernel says is pending.  To send one is a step once some run has such a wait.
 *
 *	T1                                  T2
 *	                                    sigwait: stands, until SIGUSR1 is there
 *	pthread_kill(T2, SIGUSR1)
 *	next step; T2 can be chosen         the real call, which comes back at once
 *
 * Handlers run between the steps of a thread, never while it stands before one: a signal that comes there is
 * put off, to the end of the hook.  That ends a pause.  One that would post what the thread itself waits for
 * cannot.
 *
 * Where nobody can go on, and a signal would change that (of a timer, of another process, any where somebody
 * waits for one), that is no deadlock: it is a run that was not explored.  But for threads that wait for each
 * other's locks: no signal helps them.
 */
#include <signal.h>

#include "capture/baton.h"
#include "capture/lock_priv.h"
#include "capture/process.h"
#include "capture/text.h"
#include "capture/thread.h"

#define MOMENT_NS 10000000 /* in which a signal that was sent has come */
#define BIT(n) (1ull << ((n)-1))

static uint64_t waits; /* shared: a run has such a wait */
static uint32_t moved = 1;

/* ---- what is there ---- */

uint64_t baton_signal_mask(struct text *path, const char *word)
{
	static char room[4096]; /* of whoever has the baton */
	const char *at;

	path->at[path->n < TEXT_ROOM ? path->n : TEXT_ROOM - 1] = '\0';
	sys_read_file(path->at, room, sizeof(room));
	at = strstr(room, word);
	return at != NULL ? strtoull(at + strlen(word), NULL, 16) : 0;
}

static uint64_t pending_of(pid_t kernel)
{
	struct text path = { .n = 0 };

	text_add(&path, "/proc/self/task/%lu/status", (unsigned long)kernel);
	return baton_signal_mask(&path, "\nSigPnd:") | baton_signal_mask(&path, "\nShdPnd:");
}

static bool look(const struct baton_seat *s)
{
	uint64_t there = pending_of(s->kernel);

	if (!s->handled)
		return there & s->signals;
	if (s->thread->put_off.number != 0)
		there |= BIT(s->thread->put_off.number);
	for (int n = 1; n < _NSIG; n++)
		if ((there & s->signals & BIT(n)) && signal_has_handler(n))
			return true;
	return false;
}

bool baton_signal_came(uint32_t thread)
{
	struct baton_seat *s = &baton_seats[thread];
	SYS_KEEPS_ERRNO;

	if (s->looked != moved)
		s->came = look(s);
	s->looked = moved;
	return s->came;
}

void baton_signal_moved(void)
{
	moved++;
}

/* ---- steps ---- */

const void *baton_signal_object(void)
{
	return &waits;
}

void baton_signal_share(uint32_t thread)
{
	baton_word_share(thread, (uintptr_t)&waits, sizeof(waits));
}

bool baton_signal_is_shared(uint32_t thread)
{
	return baton_word_is_shared(thread, (uintptr_t)&waits);
}

static void announce(struct control *c, enum baton_kind kind, uint32_t size, uint32_t site)
{
	baton_did(c->index);
	baton_announce(c, &(struct baton_op){ .object = (uintptr_t)&waits,
					      .size = size,
					      .site = site,
					      .kind = (uint8_t)kind,
					      .branches = 1 });
}

void baton_signal_send(struct control *c, int n, uint32_t site)
{
	if (baton_signal_is_shared(c->index))
		announce(c, BATON_KILL, (uint32_t)n, site);
	baton_signal_moved();
}

static void begin(struct control *c, uint32_t site)
{
	if (fiber_on) /* there are none */
		fiber_irregular(BATON_IRREGULAR_CALL + SYS_rt_sigtimedwait);
	baton_signal_share(c->index);
	announce(c, BATON_SIGNAL_IN, 0, site);
}

bool baton_signal_wait(struct control *c, uint64_t signals, bool handled, bool timed, uint32_t site)
{
	struct baton_seat *s = &baton_seats[c->index];
	bool came;

	if (fiber_on) /* there are none */
		fiber_irregular(BATON_IRREGULAR_CALL + SYS_rt_sigtimedwait);
	baton_signal_share(c->index);
	s->signals = signals;
	s->handled = handled;
	s->looked = 0;
	baton_try(c, &(struct baton_op){ .object = (uintptr_t)&waits,
					 .site = site,
					 .kind = BATON_SIGNAL_WAIT,
					 .flags = timed ? BATON_TIMED : 0,
					 .branches = 1 });
	came = baton_signal_came(c->index);
	s->signals = 0;
	s->yielded = timed && !came;
	baton_signal_moved();
	return came;
}

/* ---- when nobody can go on ---- */

static bool waits_for_signal(uint32_t thread)
{
	return baton_has(&baton_head->alive, thread) && baton_seats[thread].signals != 0;
}

bool baton_signal_look(void)
{
	baton_signal_moved();
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (waits_for_signal(i) && !baton_has(&baton_head->frozen, i) &&
		    baton_signal_came(i))
			return true;
	return false;
}

/* A handler may post a semaphore, write to a pipe, or end a wait by having run at all; who waits for a lock, or for
 * the end of a thread, waits on. */
static bool may_wake(const struct baton_seat *s, const struct baton_op *op)
{
	if (s->ended)
		return false;
	return op->kind == BATON_SEM_WAIT || op->kind == BATON_WAKE || op->kind == BATON_TAKE ||
	       op->kind == BATON_GIVE;
}

/* Who holds the mutex that the thread waits for; BATON_THREADS: it waits for none. */
static uint32_t holder(uint32_t thread)
{
	const struct baton_op *op = baton_pending(thread);
	pid_t by;

	if (!baton_has(&baton_head->alive, thread) || op->kind != BATON_LOCK ||
	    (op->flags & BATON_LOCK_KIND))
		return BATON_THREADS;
	by = lock_mutex_holder((const pthread_mutex_t *)op->object);
	for (uint32_t i = baton_head->nthreads; i-- > 0;)
		if (baton_seats[i].kernel == by)
			return i;
	return BATON_THREADS;
}

static bool is_circle(void)
{
	for (uint32_t first = 0; first < baton_head->nthreads; first++) {
		uint32_t at = holder(first);

		for (uint32_t n = 0; at < BATON_THREADS && at != first && n < BATON_THREADS; n++)
			at = holder(at);
		if (at == first)
			return true;
	}
	return false;
}

bool baton_signal_helps(void)
{
	const struct timespec moment = { 0, MOMENT_NS };
	bool wakes = false, handles = false, comes = false, waited = false;

	for (uint32_t i = 0; i < baton_head->nthreads; i++) {
		wakes |= may_wake(&baton_seats[i], baton_pending(i));
		waited |= waits_for_signal(i);
	}
	if (waited)
		return !is_circle();
	for (int n = 1; n < _NSIG; n++)
		handles |= signal_has_handler(n);
	if (wakes && handles)
		syscall(SYS_nanosleep, &moment, NULL);
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		comes |= !baton_seats[i].ended && baton_seats[i].thread->put_off.number != 0;
	comes |= signal_is_timed() || (signal_has_handler(SIGCHLD) && baton_has_processes());
	return wakes && comes;
}

/* ---- the calls ---- */

/* That are blocked when the hook is over. */
static uint64_t mask_of(const struct thread *t)
{
	uint64_t mask = 0;

	if (t->put_off.number != 0)
		return t->put_off.mask;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return mask;
}

/* May a handler run before the wait begins that would end it? */
static bool may_miss(const struct thread *t, const sigset_t *set)
{
	uint64_t let_in = ~mask_of(t) & (set != NULL ? ~*(const uint64_t *)set : ~0ull);

	for (int n = 1; n < _NSIG; n++)
		if ((let_in & BIT(n)) && signal_has_handler(n))
			return true;
	return false;
}

bool control_signal_waits_slow(const sigset_t *set, bool handled, const struct timespec *limit)
{
	bool came, over = false;

	if (!baton_is_on())
		return false;
	if (handled) /* a hook of its own, behind which handlers run that do not end the wait */
		HOOK(t)
			if (CONTROLLED(t) && may_miss(t, set))
				begin(t->control, t->view.call_site);
	HOOK(t) {
		uint64_t signals = set != NULL ? *(const uint64_t *)set : mask_of(t);

		if (!CONTROLLED(t))
			continue;
		signals = handled ? ~signals : signals;
		came = baton_signal_wait(t->control, signals, handled, limit != NULL,
					 t->view.call_site);
		if (limit != NULL && !came)
			baton_clock_pass((uint64_t)limit->tv_sec * 1000000000u +
					 (uint64_t)limit->tv_nsec);
		over = limit != NULL ||
		       (t->put_off.number != 0 && (signals & BIT(t->put_off.number)));
	}
	return over;
}

void control_signal_sends_slow(int n)
{
	if (!baton_is_on() || n <= 0)
		return;
	HOOK(t)
		if (CONTROLLED(t))
			baton_signal_send(t->control, n, t->view.call_site);
}
