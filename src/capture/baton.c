#include "capture/baton.h"

#include <limits.h>

#include "capture/heap.h"
#include "capture/process.h"
#include "capture/sync.h"

struct baton_file *baton_file;
int baton_file_fd = -1;
struct baton_head *baton_head;
struct baton_seat baton_seats[BATON_THREADS];

static uint32_t nalive;	 /* threads that have begun, or been made, and have not ended */
static uint32_t nloose;	 /* threads that have ended, and were not joined */
static uint32_t current; /* who has the baton */
static struct baton_set asleep;
static pid_t self;	/* the process of the run */
static uint32_t nspins; /* steps since somebody did something else than wait for a change */
static uint64_t random_state;
static uint64_t yielded_to; /* PCT: the priority of the thread that yielded last */

/* ---- chance ---- */

static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#define PRIORITY_HIGH (1ull << 63) /* of those that have not fallen */

/* ---- futexes, of this process alone ---- */

static void sleep_while(uint32_t *word, uint32_t it_is)
{
	SYS_KEEPS_ERRNO;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == it_is)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, it_is, NULL, NULL, 0);
}

static void set_and_wake(uint32_t *word)
{
	SYS_KEEPS_ERRNO;

	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/*
 * A thread that ends hands over before its end: the C library has something left to do, and gives back what
 * its heap has kept for it.  Whoever goes on waits until that is done, or addresses would be by chance.
 */
#define LEAVING_TRIES 20000u /* it may never go: a destructor waits for somebody */
static pid_t leaving;	     /* its kernel number; 0: nobody */

static void wait_for_leaving(void)
{
	SYS_KEEPS_ERRNO;

	for (uint32_t i = 0; leaving != 0 && i < LEAVING_TRIES; i++) {
		if (syscall(SYS_tgkill, getpid(), leaving, 0) != 0)
			break;
		syscall(SYS_sched_yield);
	}
	leaving = 0;
}

static void take_turn(struct baton_seat *s)
{
	sleep_while(&s->turn, 0);
	s->turn = 0;
	wait_for_leaving();
}

/* ---- choosing ---- */

static uint32_t first_of(const struct baton_set *s)
{
	uint32_t i = 0;

	while (!baton_has(s, i))
		i++;
	return i;
}

/* The same thread for as long as it can, and has something to do; then the lowest. */
static uint32_t pick_going_on(const struct baton_set *enabled)
{
	struct baton_set eager = *enabled;

	if (baton_has(enabled, current) && !baton_seats[current].yielded)
		return current;
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (baton_seats[i].yielded)
			baton_drop(&eager, i);
	if (!baton_is_empty(&eager))
		return first_of(&eager);
	/* Everybody has given way: from the one behind, in a circle. */
	for (uint32_t k = 1; k <= baton_head->nthreads; k++) {
		uint32_t i = (current + k) % baton_head->nthreads;

		if (baton_has(enabled, i))
			return i;
	}
	return current;
}

static uint32_t pick_at_random(const struct baton_set *enabled)
{
	uint32_t n = 0, at = 0, which;

	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		n += baton_has(enabled, i);
	which = (uint32_t)(random_next() % n);
	for (;; at++)
		if (baton_has(enabled, at) && which-- == 0)
			return at;
}

static uint32_t pick_highest(const struct baton_set *enabled)
{
	uint32_t best = first_of(enabled);

	for (uint32_t i = best + 1; i < baton_head->nthreads; i++)
		if (baton_has(enabled, i) && baton_seats[i].priority > baton_seats[best].priority)
			best = i;
	return best;
}

static uint32_t pick_pct(const struct baton_set *enabled)
{
	uint32_t best = pick_highest(enabled);

	/* One that yields falls below all others that have not: else it would be all that runs. */
	if (baton_seats[best].yielded)
		baton_seats[best].priority = --yielded_to;
	/* The table is in no order: which of the new priorities is the lowest does not say which comes first. */
	for (uint32_t i = 0; i < baton_head->nchanges; i++) {
		if (baton_head->changes[i] == baton_head->nsteps) {
			best = pick_highest(enabled);
			baton_seats[best].priority = baton_head->nchanges - i;
		}
	}
	return pick_highest(enabled);
}

static uint32_t pick_pos(const struct baton_set *enabled)
{
	uint32_t best = pick_highest(enabled);

	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (i == best || (baton_has(&baton_head->alive, i) &&
				  baton_depends(baton_pending(i), baton_pending(best))))
			baton_seats[i].priority = random_next() | PRIORITY_HIGH;
	return best;
}

/* What sleeps does so until something is done that it depends on. */
static struct baton_set awake_of(const struct baton_set *enabled)
{
	struct baton_set awake = *enabled;

	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (baton_has(&asleep, i))
			baton_drop(&awake, i);
	return awake;
}

static void wake_dependent(uint32_t chosen)
{
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (baton_has(&asleep, i) && baton_depends(baton_pending(i), baton_pending(chosen)))
			baton_drop(&asleep, i);
}

static struct baton_choice pick(const struct baton_set *enabled)
{
	const struct baton_choice *prefix =
		(const void *)((char *)baton_head + baton_head->choices);
	uint32_t k = baton_head->nsteps;
	struct baton_choice c = { 0 };
	struct baton_set awake;

	if (k < baton_head->nprefix) {
		if (prefix[k].thread >= BATON_THREADS || !baton_has(enabled, prefix[k].thread))
			baton_leave(BATON_STRAYED);
		return prefix[k];
	}
	if (k == baton_head->nprefix)
		asleep = baton_head->sleep;
	awake = awake_of(enabled);
	if (baton_is_empty(&awake))
		baton_leave(BATON_BLOCKED);
	switch (baton_head->policy) {
	case BATON_RANDOM:
		c.thread = (uint16_t)pick_at_random(&awake);
		break;
	case BATON_PCT:
		c.thread = (uint16_t)pick_pct(&awake);
		break;
	case BATON_POS:
		c.thread = (uint16_t)pick_pos(&awake);
		break;
	default:
		c.thread = (uint16_t)pick_going_on(&awake);
		break;
	}
	wake_dependent(c.thread);
	if (baton_pending(c.thread)->kind == BATON_CHOOSE && baton_head->policy != BATON_GO_ON)
		c.branch = (uint16_t)(random_next() % baton_pending(c.thread)->branches);
	return c;
}

/* ---- handing over ---- */

static _Noreturn void leave(int status)
{
	if (fiber_on)
		fiber_leave(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

_Noreturn void baton_leave(enum baton_outcome outcome)
{
	baton_head->outcome = outcome;
	leave(0);
}

_Noreturn void baton_accuse(const struct baton_fault *f)
{
	baton_head->fault = *f;
	baton_halt(BATON_HALT_FAULT);
	leave(BATON_FAULT_STATUS);
}

void baton_trouble(const char *why, size_t n)
{
	if (getpid() != self)
		return;
	n = n < sizeof(baton_head->trouble) ? n : sizeof(baton_head->trouble) - 1;
	memcpy(baton_head->trouble, why, n);
	baton_head->trouble[n] = '\0';
	baton_leave(BATON_TROUBLE);
}

/* Nobody can go on.  In a run that is kept everybody goes into the real call, and hangs there. */
static void deadlock(void)
{
	if (baton_signal_helps())
		baton_leave(BATON_STILL);
	if (!baton_head->kept)
		baton_leave(BATON_DEADLOCK);
	baton_head->outcome = BATON_DEADLOCK;
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (!baton_seats[i].ended)
			set_and_wake(&baton_seats[i].turn);
}

#define SPINS_MOST 2000u /* steps in a row, of threads that all wait for a change */

/* Those who can go on; of them those who wait for a change only if there is nobody else. */
static struct baton_set enabled_now(void)
{
	struct baton_set s = { { 0 } }, awaiting = { { 0 } };

	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (baton_is_enabled(i) && !baton_has(&baton_head->frozen, i))
			baton_add(baton_awaits(i) ? &awaiting : &s, i);
	if (baton_is_empty(&awaiting))
		return s;
	baton_head->awaited++;
	return baton_is_empty(&s) ? awaiting : s;
}

static void note_step(struct baton_choice c, const struct baton_set *enabled)
{
	struct baton_step *s =
		(struct baton_step *)((char *)baton_head + baton_head->steps) + baton_head->nsteps;

	*s = (struct baton_step){ .op = *baton_pending(c.thread),
				  .choice = c,
				  .nthreads = (uint16_t)baton_head->nthreads,
				  .enabled = *enabled };
	if (baton_is_vain(c.thread))
		s->op.flags |= BATON_VAIN;
	if (s->op.kind == BATON_ONCE && baton_once_is_done(&s->op))
		s->op.flags |= BATON_DONE;
	nspins = baton_is_idle(c.thread) ? nspins + 1 : 0;
	if (nspins > SPINS_MOST)
		baton_leave(BATON_TOO_LONG);
	baton_head->running = c.thread;
	baton_head->unseen = 0;
	__atomic_store_n(&baton_head->nsteps, baton_head->nsteps + 1, __ATOMIC_RELEASE);
}

/* Whoever has the baton has taken the last step, or is new and was made behind it. */
void baton_passes(unsigned passed)
{
	struct baton_step *steps = (struct baton_step *)((char *)baton_head + baton_head->steps);

	if (baton_head->nsteps > 0)
		steps[baton_head->nsteps - 1].passed |= (uint16_t)passed;
}

static void pass_to(uint32_t thread, struct baton_seat *me)
{
	if (fiber_on && me != NULL) {
		fiber_switch(thread);
	} else if (fiber_on) {
		fiber_ends(thread);
	} else {
		set_and_wake(&baton_seats[thread].turn);
		if (me != NULL)
			take_turn(me);
	}
}

/* me: NULL when the thread ends. */
static void hand_over(struct baton_seat *me)
{
	struct baton_set enabled = enabled_now();
	struct baton_choice c;
	struct baton_seat *next;

	if (baton_head->outcome == BATON_DEADLOCK)
		return;
	while (baton_is_empty(&enabled) && (baton_signal_look() || baton_fd_wait()))
		enabled = enabled_now();
	if (baton_is_empty(&enabled)) {
		deadlock();
		return;
	}
	if (baton_head->nsteps >= baton_head->limit)
		baton_leave(BATON_TOO_LONG);
	c = pick(&enabled);
	note_step(c, &enabled);
	baton_halt(baton_head->nsteps);
	next = &baton_seats[c.thread];
	next->branch = c.branch;
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (i != c.thread)
			baton_seats[i].yielded = false;
	current = c.thread;
	if (next != me)
		pass_to(c.thread, me);
}

/* Who has ended and was not joined might still be there, in another order. */
bool baton_is_alone(void)
{
	return nalive < 2 && nloose == 0;
}

void baton_announce(const struct control *c, const struct baton_op *op)
{
	struct baton_seat *s = &baton_seats[c->index];

	*baton_pending(c->index) = *op;
	s->quiet = 0;
	if (!s->started && fiber_on) {
		s->started = 1;
		fiber_begun();
	} else if (!s->started) {
		set_and_wake(&s->started);
		take_turn(s);
	} else if (!baton_is_alone() || op->kind == BATON_CHOOSE || !baton_is_enabled(c->index)) {
		hand_over(s);
	}
	/* Else nobody is there to choose from, and it can be done. */
}

/* ---- threads ---- */

uint32_t baton_new(void)
{
	uint32_t i = baton_head->nthreads;

	if (i == BATON_THREADS)
		baton_leave(BATON_TOO_MANY);
	baton_seats[i] = (struct baton_seat){ .priority = random_next() | PRIORITY_HIGH };
	*baton_pending(i) = (struct baton_op){ .kind = BATON_NONE };
	baton_head->nthreads++;
	baton_add(&baton_head->alive, i);
	nalive++;
	return i;
}

void baton_begin(struct thread *t)
{
	struct baton_seat *s = &baton_seats[t->control->index];

	s->thread = t;
	s->kernel = baton_head->kernel[t->control->index] = t->kernel;
	s->handle = pthread_self();
	s->stack_low = t->stack_low;
	s->stack_high = t->stack_high;
	baton_freed_born(t->stack_low, t->stack_high - t->stack_low);
	if (t->control->index == 0)
		s->started = 1;
}

void baton_end(struct thread *t)
{
	struct baton_seat *s = &baton_seats[t->control->index];
	bool was_started;

	baton_ending(t->control);
	was_started = s->started;
	s->ended = true;
	nalive--;
	nloose++;
	baton_drop(&baton_head->alive, t->control->index);
	*baton_pending(t->control->index) = (struct baton_op){ .kind = BATON_NONE };
	if (t->control->index != 0) /* the first is there until the process has ended */
		leaving = s->kernel;
	if (!was_started && fiber_on)
		fiber_ends_first();
	else if (!was_started)
		set_and_wake(&s->started);
	else if (nalive > 0 && !s->leaves)
		hand_over(NULL);
}

void baton_joined(uint64_t thread)
{
	if (thread >= BATON_THREADS || !baton_seats[thread].ended || baton_seats[thread].joined)
		return;
	baton_seats[thread].joined = true;
	nloose--;
}

void baton_created(uint32_t child, bool made)
{
	if (made && fiber_on) {
		fiber_begin(child);
		return;
	}
	if (made) {
		sleep_while(&baton_seats[child].started, 0);
		wait_for_leaving();
		return;
	}
	baton_seats[child].ended = true;
	nalive--;
	baton_drop(&baton_head->alive, child);
}

void baton_exit(void)
{
	const struct thread *t = thread_self();

	if (t->control == NULL || nalive < 2)
		return;
	baton_announce(t->control, &(struct baton_op){ .kind = BATON_EXIT, .branches = 1 });
	baton_seats[t->control->index].leaves = true; /* and keeps the baton, for nobody goes on */
}

/* ---- the run ---- */

void baton_start(struct baton_file *f, int fd)
{
	struct baton_head *h = (struct baton_head *)((char *)f + BATON_PAGE);

	baton_file = f;
	baton_file_fd = fd;
	baton_head = h;
	baton_fd_start();
	heap_steady();
	h->nthreads = 0;
	h->alive = (struct baton_set){ { 0 } };
}

void baton_run(void)
{
	struct baton_head *h = baton_head;

	h->number++;
	h->nthreads = 1; /* there may have been a run before */
	h->alive = (struct baton_set){ { 1 } };
	h->nsteps = 0;
	h->outcome = BATON_RAN;
	h->fault = (struct baton_fault){ .kind = BATON_NO_FAULT };
	baton_freed_begin();
	baton_watch_run();
	self = getpid();
	h->running = h->unseen = h->halted = 0;
	h->unlike = 0;
	h->grown = h->crowded = h->forked = h->outside = 0;
	h->awaited = 0;
	baton_seats[0].kernel =
		fiber_on ? fiber_tid() : (pid_t)syscall(SYS_gettid); /* of the child */
	random_state = h->seed;
	if (h->directory[0] != '\0' && syscall(SYS_chdir, h->directory) != 0)
		baton_leave(BATON_STRAYED);
	yielded_to = PRIORITY_HIGH;
	baton_seats[0].priority = random_next() | PRIORITY_HIGH;
	baton_halt(BATON_HALT_FIRST);
}
