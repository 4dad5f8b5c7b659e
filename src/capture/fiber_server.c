/*
 * Who does the next run.
 *
 *	explorer        process of fibers                server
 *	asked++
 *	                the run
 *	                answered++, bell++
 *	asked++
 *	                the run, which is irregular
 *	                listens = 0
 *	                                                 the run, by a child
 *	                                                 answered++, bell++
 *	                                                 listens = 1
 *
 * What counts is what a child does: a run that fails is done again by one before that is told, and
 * so is every run whose number among the regular ones is a power of two; then it is looked whether both
 * did the same.  When they did not, or when too many runs are handed back, fibers are used no more.
 */
#include <signal.h>
#include <sys/wait.h>

#include "capture/fiber_priv.h"

#ifdef __x86_64__

#define LOOK_NS 50000000 /* between looks whether the process is there */
#define HANDED_FEW 16u	 /* runs that are handed back; of more, one in so many at most: */
#define HANDED_PART 4u

static bool off;
static pid_t process; /* 0: there is none */
static struct {
	bool known; /* the last run of fibers is to be compared */
	uint64_t hash;
} before;

/* ---- what a run did ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Not the objects: where they lie may differ. */
static uint64_t hash_of(int ended)
{
	const struct baton_head *h = baton_head;
	const struct baton_step *steps = (const void *)((const char *)h + h->steps);
	uint64_t x = mix(mix(h->outcome, (uint64_t)ended), mix(h->nthreads, h->grown));

	for (uint32_t i = 0; i < h->nsteps; i++) {
		const struct baton_step *s = &steps[i];

		x = mix(x, (uint64_t)s->op.site << 16 | (uint64_t)s->op.kind << 8 | s->op.flags);
		x = mix(x, (uint64_t)s->nthreads << 32 | (uint32_t)s->choice.thread << 16 |
				   s->choice.branch);
		for (uint32_t k = 0; k < BATON_THREADS / 64; k++)
			x = mix(x, s->enabled.at[k]);
	}
	return x;
}

/* ---- the process ---- */

static void stop(void)
{
	off = true;
	before.known = false;
	if (process > 0)
		syscall(SYS_kill, process, SIGKILL);
}

/* It has gone, and the run that it was to do is not done. */
static enum fiber_answer lost(int status)
{
	process = 0;
	stop();
	if (baton_head->asked == baton_head->answered)
		return FIBER_NONE;
	baton_unshare(baton_head);
	if (!baton_head->given_up)
		return FIBER_HANDS;
	baton_serve_answer(status);
	return FIBER_NONE;
}

static enum fiber_answer handed(struct baton_fibers *f)
{
	f->handed++;
	if (f->irregular != BATON_REGULAR) {
		f->why = f->irregular;
		before.known = false;
	} else {
		before.known = true;
		before.hash = hash_of(f->ended);
	}
	if (f->handed > HANDED_FEW && f->handed * HANDED_PART > f->regular)
		stop();
	baton_unshare(baton_head);
	return FIBER_HANDS;
}

static enum fiber_answer wait_for_it(struct baton_fibers *f)
{
	const struct timespec pause = { 0, LOOK_NS };
	int status;

	while (__atomic_load_n(&f->listens, __ATOMIC_ACQUIRE) == 1) {
		syscall(SYS_futex, &f->listens, FUTEX_WAIT, 1, &pause, NULL, 0);
		if (__atomic_load_n(&f->listens, __ATOMIC_ACQUIRE) == 1 &&
		    syscall(SYS_wait4, process, &status, WNOHANG, NULL) == process)
			return lost(status);
	}
	return handed(f);
}

/* True in a run. */
static bool make(struct baton_fibers *f)
{
	f->nthreads = baton_head->nthreads;
	f->listens = 1;
	process = baton_serve_bear();
	if (process < 0)
		off = true;
	if (process == 0 && !fiber_serve())
		syscall(SYS_exit_group, 1);
	return process == 0;
}

enum fiber_answer fiber_server_listen(void)
{
	struct baton_fibers *f = &baton_head->fibers;

	if (!f->wanted || off ||
	    baton_head->answered == 0) /* how many threads there are shows in a run */
		return FIBER_NONE;
	if (process != 0 && baton_head->nthreads > f->nthreads) {
		syscall(SYS_kill, process, SIGKILL);
		syscall(SYS_wait4, process, NULL, 0, NULL);
		process = 0;
	}
	if (process == 0) { /* one that is new listens, and may have handed the run back by now */
		if (make(f))
			return FIBER_RUNS;
	} else {
		__atomic_store_n(&f->listens, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &f->listens, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	return process > 0 ? wait_for_it(f) : FIBER_NONE;
}

void fiber_server_compare(int ended)
{
	/* A run that nobody wants any more is told to end at once, by its limit. */
	if (before.known && baton_head->limit != 0 && before.hash != hash_of(ended)) {
		stop();
		baton_head->unlike = 1;
	}
	before.known = false;
}

#else

enum fiber_answer fiber_server_listen(void)
{
	return FIBER_NONE;
}

void fiber_server_compare(int ended)
{
	(void)ended;
}
#endif
