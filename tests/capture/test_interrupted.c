/*
 * Signal handlers in the middle of a hook, at any of its instructions: the processor traps after
 * each, and at one of them the handler does something.
 *
 * The handler is set past the runtime, which would have to do with every trap.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "capture/harness.h"
#include "capture/hooks.h"
#include "capture/log.h"
#include "capture/range.h"
#include "capture/real.h"
#include "capture/sync.h"

#define TRAP_FLAG 0x100ull

static struct thread *self;
static long steps, point; /* instructions inside hooks so far; the one that counts */
static void (*at_point)(void);
static uint64_t x, y, words[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf out;

static void trapped(int n, siginfo_t *info, void *context)
{
	(void)n;
	(void)info;
	if (!thread_is_inside(self) || ++steps != point)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG; /* enough */
	at_point();
}

static void trap_start(void)
{
	struct sigaction act = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	self = thread_self();
	CAPTURE_CHECK(REAL(sigaction)(SIGTRAP, &act, NULL) == 0, "no handler");
}

static void trap_on(void)
{
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" ::"i"(TRAP_FLAG) : "memory", "cc");
}

static void trap_off(void)
{
	__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq" ::"i"(~TRAP_FLAG) : "memory", "cc");
}

/* What may be interrupted: records of most kinds, full chunks, the control stream. */
static void work(void)
{
	static const char note[40000];

	foresee_write8(&x, 1, 0);
	(void)foresee_read8(&x, 0);
	(void)foresee_read8(&x, 0);
	(void)foresee_add8(&x, 1, 0, 0);
	pthread_mutex_lock(&lock);
	foresee_move(words + 1, words, sizeof(words) - 64, 0);
	pthread_mutex_unlock(&lock);
	self->view.live = 0; /* as in a hook */
	for (int i = 0; i < 2; i++)
		log_control(FORMAT_K_C_NOTE, note, 0);
	self->view.live = THREAD_LIVE;
	foresee_fill(words, 3, sizeof(words), 0, NULL, 0);
}

/* ---- a handler whose doings are not recorded ---- */

static void nested(void)
{
	foresee_write8(&y, y + 1, 0);
}

/*
 * The next record says that it ran: had it been forgotten, it would be still to be said.  Each time it
 * runs in hooks that reach the limit and set a new one.
 */
static void noted(void)
{
	trap_start();
	at_point = nested;
	for (point = 1, steps = 1; steps >= point - 1; point++) {
		while (self->limit == NULL || self->limit - self->cursor > 8)
			foresee_write8(&words[point % 2], (uint64_t)point, 0);
		steps = 0;
		trap_on();
		for (int i = 0; i < 2; i++)
			foresee_write8(&words[i], (uint64_t)point, 0);
		trap_off();
		foresee_write8(&x, 2, 0);
		CAPTURE_CHECK(self->nested == 0, "instruction %ld: a handler is not told of",
			      point);
	}
	CAPTURE_CHECK(point > 200, "only %ld instructions", point);
	CAPTURE_CHECK(y > 100, "the handler did nothing");
}

/* ---- another thread, meanwhile ---- */

static bool came;

static void add_more(void *unused)
{
	(void)unused;
	(void)foresee_add8(&x, 100, 0, 0);
}

/* It would wait for a tag that is locked. */
static void come(void)
{
	came = !(*tag_of(&x) & TAG_LOCKED);
	if (came)
		crew_do(0, add_more, NULL);
}

/* Between any two instructions of an update: what that one has added is there, and is seen or comes later. */
static void between(void)
{
	long before = 0, behind = 0;

	crew_start(1);
	crew_do(0, add_more, NULL); /* its first access takes more */
	trap_start();
	at_point = come;
	for (point = 1, steps = 1; steps >= point - 1; point++) {
		uint64_t was = x, old;

		came = false;
		steps = 0;
		trap_on();
		old = foresee_add8(&x, 1, 0, 0);
		trap_off();
		CAPTURE_CHECK(x == was + 1 + (came ? 100 : 0), "instruction %ld: %ju and 1 is %ju",
			      point, (uintmax_t)was, (uintmax_t)x);
		before += came && old == was + 100;
		behind += came && old == was;
		CAPTURE_CHECK(old == was || old == was + 100, "instruction %ld: %ju was read",
			      point, (uintmax_t)old);
	}
	CAPTURE_CHECK(before > 20 && behind > 20, "before %ld of them, behind %ld", before, behind);
	crew_end();
}

/* ---- a handler that allocates memory ---- */

static long allocated;

static void allocate(void)
{
	void *volatile p = malloc(100); /* or the compiler does without */

	allocated += self->hiding;
	free(p);
}

/* The locks of the log may be held where it comes, so that is told later, with the next record. */
static void hidden(void)
{
	trap_start();
	at_point = allocate;
	for (point = 1, steps = 1; steps >= point - 7; point += 7) {
		steps = 0;
		trap_on();
		foresee_write8(&x, 1, 0);
		self->view.live = 0; /* as in a hook */
		log_control_memory(FORMAT_K_C_HIDDEN, 0, 0);
		self->view.live = THREAD_LIVE;
		trap_off();
		foresee_write8(&x, 3, 0);
		CAPTURE_CHECK(!self->hiding, "instruction %ld: memory is not told of", point);
	}
	CAPTURE_CHECK(allocated > 10, "hidden %ld times", allocated);
}

/* ---- a handler that jumps ---- */

static void jump(void)
{
	siglongjmp(out, 1);
}

static void *other(void *unused)
{
	foresee_write8(&x, 5, 0);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	foresee_fill(words, 4, sizeof(words), 0, NULL, 0);
	return unused;
}

static void jumped(void)
{
	pthread_t t;

	tag_patience = 100;
	trap_start();
	at_point = jump;
	point = capture_point();
	if (sigsetjmp(out, 1) == 0) {
		trap_on();
		work();
		trap_off();
		capture_points(steps);
	} else {
		trap_off();
		if (pthread_mutex_trylock(&lock) != 0) /* it was left locked, or was not locked */
			pthread_mutex_unlock(&lock);
		else
			pthread_mutex_unlock(&lock);
	}
	alarm(20); /* whoever waits for a lock that was left waits for ever */
	foresee_write8(&x, 6, 0);
	CAPTURE_CHECK(pthread_create(&t, NULL, other, NULL) == 0, "no thread");
	pthread_join(t, NULL);
	CAPTURE_CHECK(x == 5 && words[0] == 0x0404040404040404u, "a write was lost");
	if (point != 0)
		CAPTURE_CHECK(!log_is_on(), "it is recorded as if nothing had been");
}

/* The lock of the log itself, for certain: between any two instructions that hold it. */
static void jumped_locked(void)
{
	tag_patience = 100;
	self = thread_self();
	if (sigsetjmp(out, 1) == 0) {
		self->view.live = 0;
		log_control_lock();
		siglongjmp(out, 1);
	}
	alarm(20);
	foresee_write8(&x, 6, 0);
	CAPTURE_CHECK(!log_is_on(), "it is recorded as if nothing had been");
}

/* ---- a writer that vanished ---- */

static void write_x(void *unused)
{
	(void)unused;
	foresee_write8(&x, 9, 0);
}

static void vanished(void)
{
	tag_patience = 100;
	crew_start(2);
	crew_do(0, write_x, NULL);
	tag_lock(tag_of(&x));
	x = 17; /* and is never heard of again */
	crew_do(1, write_x, NULL);
	CAPTURE_CHECK(x == 9, "not written");
	CAPTURE_CHECK(!log_is_on(), "what was broken is recorded");
	crew_end();
}

static const struct capture_case cases[] = {
	{ .name = "a handler is told of", .run = noted },
	{ .name = "another thread, in an update", .run = between },
	{ .name = "its memory is told of", .run = hidden },
	{ .name = "a jump out of the log",
	  .run = jumped_locked,
	  .trouble = "a signal handler jumped out of the middle of a record" },
	{ .name = "a jump", .run = jumped, .steps = true },
	{ .name = "a vanished writer",
	  .run = vanished,
	  .trouble = "a thread has vanished in the middle of a write" },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
