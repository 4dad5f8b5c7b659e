#include "capture/thread.h"

#include "capture/filter.h"
#include "capture/guard.h"
#include "capture/heap.h"
#include "capture/sync.h"

#define IDLE_APART 1024u /* frames of one that another one's begin after: a page */

/* Written by many, read by none. */
static uint32_t scratch_frames[FORESEE_DEPTH + THREAD_IDLE * IDLE_APART];
struct thread thread_scratch = { .view = { .frames = scratch_frames, .unseen = FORESEE_NOWHERE } };
struct thread thread_gone = {
	.view = { .frames = scratch_frames, .live = THREAD_QUIET, .unseen = FORESEE_NOWHERE }
};
struct thread thread_idles[THREAD_IDLE];
__attribute__((visibility("default"),
	       tls_model("initial-exec"))) __thread struct foresee_view *foresee_self =
	&thread_scratch.view;

/* Who last had a stack, by its lowest address: reuse must come after. */
struct stack_owner {
	uintptr_t low;
	uint32_t tid;
	uint64_t tseq;
};

#define STACKS 4096u /* remembered; older ones are forgotten */

static struct {
	struct sys_lock lock;
	uint32_t ntids;
	struct thread *free;
	struct stack_owner stacks[STACKS];
} all;

struct thread *thread_idle(uint32_t i)
{
	struct thread *t = &thread_idles[i];

	/* Always the same, be it in use. */
	t->view.frames = scratch_frames + (i + 1) * IDLE_APART;
	t->view.unseen = FORESEE_NOWHERE;
	t->view.live = THREAD_QUIET;
	return t;
}

/* ---- blocks ---- */

#define FRAMES_BYTES (FORESEE_DEPTH * sizeof(uint32_t))
#define BLOCK_BYTES (sizeof(struct thread) + FRAMES_BYTES)

struct thread *thread_new(void)
{
	SYS_KEEPS_ERRNO;
	struct thread *t;
	char *room;

	if (!log_is_on())
		return NULL;
	sys_lock_take(&all.lock);
	if (all.ntids + 1 >= 1u << FORMAT_TID_BITS) {
		sys_lock_drop(&all.lock);
		log_trouble("more threads than can be numbered", 0);
		return NULL;
	}
	t = all.free;
	if (t != NULL) {
		all.free = t->next_free;
		memset(t, 0, THREAD_CLEARED); /* the rest is, when its log begins */
	} else {
		t = sys_pages(BLOCK_BYTES);
	}
	if (t != NULL) {
		room = (char *)(t + 1);
		t->view.frames = (uint32_t *)room;
		t->view.unseen = FORESEE_NOWHERE;
		t->tid = ++all.ntids;
		t->names = tag_make(t->tid, 0);
		filter_none(t);
		if (!log_is_full() && !control_bare)
			filter_grow(t);
		t->spare = FILTER_SPARE;
		t->epoch = 1; /* fresh filter entries, all zero, match no epoch */
	}
	sys_lock_drop(&all.lock);
	if (t == NULL)
		log_trouble("no memory for another thread", errno);
	return t;
}

static void block_give(struct thread *t)
{
	ASSERT_RECORDING(!thread_is_nobody(t) && t->chunk == NULL);
	filter_release(t);
	t->next_free = all.free;
	all.free = t;
}

void thread_drop(struct thread *t)
{
	SYS_KEEPS_ERRNO;
	SYS_HOLD(&all.lock);

	block_give(t);
}

/* ---- stacks ---- */

static void find_stack(struct thread *t)
{
	pthread_attr_t attr;
	void *low;
	size_t size;
	int state;

	if (fiber_on) {
		fiber_stack(&t->stack_low, &t->stack_high);
		return;
	}
	if (control_is_baton())
		heap_aside(true);
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return;
	if (pthread_attr_getdetachstate(&attr, &state) == 0)
		t->detached = state == PTHREAD_CREATE_DETACHED;
	if (pthread_attr_getstack(&attr, &low, &size) == 0) {
		t->stack_low = (uintptr_t)low;
		t->stack_high = (uintptr_t)low + size;
	}
	pthread_attr_destroy(&attr);
	if (control_is_baton())
		heap_aside(false);
}

static struct stack_owner *owner_of(uintptr_t low)
{
	return &all.stacks[(low >> 12) * 0x9e3779b97f4a7c15u >> 52];
}

/* ---- life ---- */

static void log_begin(struct thread *t)
{
	struct stack_owner *o = owner_of(t->stack_low), before = { 0 };

	sys_lock_take(&all.lock);
	if (t->stack_low != 0 && o->low == t->stack_low)
		before = *o;
	sys_lock_drop(&all.lock);
	log_other_end(t, FORMAT_K_BEGIN, 0,
		      LOG_NUMBERS(log_other_begin(t, 0), t->fork_tid, t->fork_tseq, t->stack_low,
				  t->stack_high, before.tid, before.tseq),
		      1);
}

void thread_begin(struct thread *t)
{
	SYS_KEEPS_ERRNO;

	ASSERT_RECORDING(t->tid != 0 && t->chunk == NULL && !t->ended);
	/* What the C library allocates below is not the program's. */
	t->view.live = THREAD_QUIET;
	if (!log_is_on()) { /* then no system calls beyond the program's own */
		foresee_self = &thread_gone.view;
		return;
	}
	foresee_self = &t->view;
	t->kernel = fiber_on ? fiber_tid() : (pid_t)syscall(SYS_gettid);
	find_stack(t);
	if (!tag_cover((void *)t->stack_low, t->stack_high - t->stack_low))
		log_trouble("a thread's stack lies where it cannot be followed", 0);
	if (CONTROLLED(t))
		control_begin(t);
	if (CONTROL_BARE(t)) {
		log_mute(t); /* what is recorded all the same */
		t->view.live = THREAD_LIVE | THREAD_CONTROLLED;
	} else if (log_open(t)) {
		log_begin(t);
		t->view.live = CONTROLLED(t) ? THREAD_LIVE | THREAD_CONTROLLED : THREAD_LIVE;
	} else {
		foresee_self = &thread_gone.view;
	}
}

uint64_t thread_end(struct thread *t, unsigned how)
{
	SYS_KEEPS_ERRNO;
	uint64_t end;
	struct stack_owner *o = owner_of(t->stack_low);
	bool inside = thread_is_inside(t);

	ASSERT_RECORDING(t == thread_self() && !t->ended);
	t->view.live = THREAD_QUIET;
	if (CONTROLLED(t))
		control_end(t);
	if (inside) {
		log_leave(t);
		if (how != FORMAT_END_PROCESS)
			log_trouble("a thread was cancelled in the middle of a record", 0);
	}
	if (t->chunk != NULL && !t->muted) {
		if (how != FORMAT_END_PROCESS && !inside)
			access_scopes_end(t);
		filter_sweep(t);
		log_other_end(t, FORMAT_K_END, how, log_other_begin(t, 0), 1);
	}
	foresee_self = &thread_gone.view;
	if (how != FORMAT_END_PROCESS && t->stack_low != 0 && log_is_on() && !CONTROL_BARE(t))
		tag_reset((void *)t->stack_low, t->stack_high - t->stack_low);
	end = t->tseq;
	sys_lock_take(&all.lock);
	t->ended = true;
	if (!CONTROL_BARE(t))
		*o = (struct stack_owner){ t->stack_low, t->tid, end };
	sys_lock_drop(&all.lock);
	if (!t->muted)
		log_close(t);
	if (how != FORMAT_END_PROCESS && (!t->muted || guard_on)) {
		sys_lock_take(&all.lock);
		block_give(t);
		sys_lock_drop(&all.lock);
	}
	return end;
}

struct thread *thread_adopt(void)
{
	struct thread *t;

	if (!log_is_on() || (t = thread_new()) == NULL)
		return NULL;
	if (guard_on)
		t->control = guard_first();
	else if (control_on)
		t->control = t->tid == 1 ? control_first() : control_adopted();
	thread_begin(t);
	return foresee_self == &t->view ? t : NULL;
}

bool thread_was_forked(void)
{
	return __atomic_load_n(&all.ntids, __ATOMIC_RELAXED) > 1;
}
