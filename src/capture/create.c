/*
 * Threads: creation, end, join.
 *
 *	maker                                child
 *	real pthread_create                  waits
 *	write *handle
 *	FORK child
 *	go                                   BEGIN
 *	                                     the routine, TLS destructors
 *	JOINING child, if that waits
 *	JOIN child, its END                  END
 *
 * The child waits so that nothing of it is logged before its maker knows its
 * handle; else a join by a third thread could not name it.
 *
 * The program's handle is written before the child runs.  POSIX does not promise that, but glibc
 * does it: it stores the handle before it makes the thread, so a child that reads it does not race;
 * a third thread may.  The library stores it in a variable of ours; the recorded write then is the
 * only one that the program sees.
 *
 * Signals are blocked in the child until it records: a handler that ran earlier
 * would be taken for a thread that unseen code has made.
 *
 * The end must be logged after the last thing the thread does, whether it
 * returned, exited or was cancelled.  That is the destructor of a key of ours:
 * it sets the key again until the last round of destructors.  What other
 * destructors do after it in that round is not recorded; signals go elsewhere.
 */
#include "capture/create_priv.h"

#include "capture/heap.h"
#include "capture/idle.h"
#include "capture/object.h"
#include "capture/range.h"
#include "capture/sync.h"
#include "capture/unseen.h"

static pthread_key_t end_key;
static bool end_key_made; /* before any thread of ours; never changes again */

/* How the thread ends, unless it returns or exits. */
static __thread unsigned end_how = FORMAT_END_CANCEL;

/* ---- handles ---- */

/*
 * Which thread a handle stands for: the note on tid, or with tid 0 the newest; all 0 when there is
 * none.  Its tseq is the END event, 0 while the thread runs.  A handle may stand for a new thread as soon
 * as the real join returns, before its old meaning is forgotten here; so notes
 * are told apart by tid, and the newest is the one that counts.
 */
static struct object_note handle_note(pthread_t handle, uint32_t tid, bool forget)
{
	const void *key = (const void *)handle;
	struct object_note **at = object_find(object_lock(key), key, OBJECT_THREAD, tid);
	struct object_note note = { 0 };

	if (at != NULL)
		note = **at;
	if (at != NULL && forget)
		object_drop(at);
	object_unlock(key);
	return note;
}

static void handle_bind(pthread_t handle, uint32_t tid)
{
	const void *key = (const void *)handle;

	object_add(object_lock(key), key, OBJECT_THREAD, tid, 0);
	object_unlock(key);
}

/* tid has ended; nothing to do when it is detached. */
static void handle_ended(pthread_t handle, uint32_t tid, uint64_t tseq)
{
	const void *key = (const void *)handle;
	struct object_note **at = object_find(object_lock(key), key, OBJECT_THREAD, tid);

	if (at != NULL)
		(*at)->tseq = tseq;
	object_unlock(key);
}

uint32_t create_find(pthread_t handle)
{
	return log_is_on() ? handle_note(handle, 0, false).tid : 0;
}

/* ---- the end ---- */

/* Rounds so far, as a key's value. */
static void end_round(void *rounds)
{
	struct thread *t = thread_self();
	sigset_t all;
	uint32_t tid;

	if ((uintptr_t)rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(end_key, (char *)rounds + 1);
		return;
	}
	if (thread_is_nobody(t))
		return;
	tid = t->tid;
	sigfillset(&all);
	if (!fiber_on)
		pthread_sigmask(SIG_BLOCK, &all,
				NULL); /* a handler would run unrecorded from here on */
	handle_ended(pthread_self(), tid, thread_end(t, end_how));
	if (fiber_on)
		fiber_gone();
}

static __attribute__((constructor(101))) void create_init(void)
{
	if (!end_key_made)
		end_key_made = pthread_key_create(&end_key, end_round) == 0;
}

/* Makes sure that end_round runs at the end of this thread. */
static void watch_end(void)
{
	if (end_key_made && pthread_getspecific(end_key) == NULL)
		pthread_setspecific(end_key, (void *)1);
}

/* ---- creation ---- */

#define BEGIN_MS 2000 /* a thread that does not begin by then has been stopped, or killed */

static bool is_detached(const pthread_attr_t *attr)
{
	int state;

	return attr != NULL && pthread_attr_getdetachstate(attr, &state) == 0 &&
	       state == PTHREAD_CREATE_DETACHED;
}

static uint32_t beginning; /* threads that are made, and have not yet begun to record */

void create_settle(void)
{
	const struct timespec pause = { 0, 1000000 };

	/* What a plan holds back does not come. */
	for (int i = 0; i < BEGIN_MS && !control_on; i++) {
		if (__atomic_load_n(&beginning, __ATOMIC_SEQ_CST) == 0)
			return;
		syscall(SYS_nanosleep, &pause, NULL);
	}
}

struct create_start create_child_begin(struct create_start *start)
{
	struct create_start s;

	if (idle_begin(start, &s))
		return s;
	foresee_self = &thread_gone.view; /* no thread identity yet: hooks must do nothing */
	while (!fiber_on &&
	       __atomic_load_n(&start->go, __ATOMIC_ACQUIRE) == 0) /* pairs with child_go */
		syscall(SYS_futex, &start->go, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	s = *start; /* in the thread's block: gone once it records */
	watch_end();
	thread_begin(s.thread);
	if (s.thread->unseen_root)
		HOOK(t)
			unseen_runs(t);
	if (s.masked && !fiber_on)
		pthread_sigmask(SIG_SETMASK, &s.mask, NULL);
	__atomic_fetch_sub(&beginning, 1, __ATOMIC_SEQ_CST);
	return s;
}

/* Others may join it by its handle, like a thread that was made through us. */
static void bind_self(const struct thread *t)
{
	if (!t->detached)
		handle_bind(pthread_self(), t->tid);
}

void create_adopted(const struct thread *t)
{
	end_how = FORMAT_END_RETURN; /* how it really ends cannot be seen */
	watch_end();
	bind_self(t);
}

void create_first(const struct thread *t)
{
	create_init(); /* the constructor may come later */
	watch_end();
	bind_self(t);
}

static void child_go(struct create_start *start)
{
	__atomic_store_n(&start->go, 1, __ATOMIC_RELEASE);
	if (!fiber_on)
		syscall(SYS_futex, &start->go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void create_child_return(void)
{
	end_how = FORMAT_END_RETURN;
}

void create_child_exit(void)
{
	end_how = FORMAT_END_EXIT;
}

/* An attribute may set the child's mask; then it does not inherit the one that create_thread
 * sets. */
static bool has_mask(const pthread_attr_t *attr)
{
	sigset_t set;

	return attr != NULL && pthread_attr_getsigmask_np(attr, &set) == 0;
}

void create_thread(struct create_call *c)
{
	struct thread *t, *child = NULL;
	struct create_start *start;
	pthread_t handle, *theirs = c->handle;
	sigset_t all, mask;
	bool made, detached = is_detached(c->attr);
	const struct control *control; /* of the child, which may be gone when it is asked for */

	control_call(FORMAT_K_FORK, 0, NULL);
	t = hook_enter();
	if (t != NULL) {
		unseen_main(t);
		child = thread_new();
		if (child != NULL) {
			unseen_begin(child, (const void *)(uintptr_t)c->run);
			if (CONTROLLED(t))
				child->control = control_child(t);
		}
		hook_leave(t);
	}
	if (child == NULL) {
		start = idle_start(c);
		if (!c->create(c, start) && start != NULL)
			idle_drop(start);
		return;
	}
	_Static_assert(sizeof(*start) <= sizeof(child->piece),
		       "it lies there until the child runs");
	start = (struct create_start *)child->piece;
	*start = (struct create_start){
		.run = c->run, .arg = c->arg, .thread = child, .masked = !has_mask(c->attr)
	};
	watch_end();
	sigfillset(&all);
	sigemptyset(&mask); /* of fibers, to which no signal comes */
	if (!fiber_on)
		pthread_sigmask(SIG_BLOCK, &all, &mask);
	start->mask = mask;
	if (control_on)
		*(uint64_t *)&start->mask &= ~control_signal_held(true);
	c->handle = &handle;
	__atomic_fetch_add(&beginning, 1, __ATOMIC_SEQ_CST);
	if (control_is_baton())
		heap_aside(true);
	made = c->create(c, start);
	if (control_is_baton())
		heap_aside(false);
	c->handle = theirs;
	if (!fiber_on)
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
	t = hook_enter();
	if (made) {
		if (!detached)
			handle_bind(handle, child->tid);
		if (t != NULL)
			range_write(t, theirs, &handle, sizeof(handle), t->view.call_site, NULL, 0);
		else
			*theirs = handle;
	}
	if (t != NULL) {
		ASSERT_RECORDING(child->tid > t->tid); /* numbers are given in order of creation */
		child->fork_tid = t->tid;
		child->fork_tseq = sync_thread(t, FORMAT_K_FORK, 0, child->tid, 0, 1);
		if (!made)
			sync_thread(t, FORMAT_K_FORK_FAIL, 0, child->tid, 0, 1);
		else if (detached)
			sync_thread(t, FORMAT_K_DETACH, 0, child->tid, 0, 1);
		hook_leave(t);
	}
	control = CONTROLLED(child) ? child->control : NULL;
	if (made) {
		child_go(start);
	} else {
		__atomic_fetch_sub(&beginning, 1, __ATOMIC_SEQ_CST);
		thread_drop(child);
	}
	if (control != NULL)
		control_created(control, made);
	control_done();
}

static void *trampoline(void *start)
{
	struct create_start s = create_child_begin(start);
	void *r = ((void *(*)(void *))s.run)(s.arg);

	create_child_return();
	return r;
}

static bool real_create(struct create_call *c, struct create_start *start)
{
	void *(*run)(void *) = start != NULL ? trampoline : (void *(*)(void *))c->run;

	if (fiber_on)
		c->result = fiber_create(c->handle, c->attr, run, start != NULL ? start : c->arg);
	else
		c->result = REAL_VERSIONED(pthread_create, "GLIBC_2.34")(
			c->handle, c->attr, run, start != NULL ? start : c->arg);
	return c->result == 0;
}

EXPORT int pthread_create(pthread_t *restrict handle, const pthread_attr_t *restrict attr,
			  void *(*run)(void *), void *restrict arg)
{
	struct create_call c = { .handle = handle,
				 .attr = attr,
				 .run = (void (*)(void))run,
				 .arg = arg,
				 .create = real_create };

	create_thread(&c);
	return c.result;
}

/* ---- join, detach, exit ---- */

void create_joining(pthread_t handle, uint32_t tid, bool timed)
{
	control_call(FORMAT_K_JOIN, timed ? FORMAT_LOCK_TRY : 0, (const void *)handle);
	/* The library refuses to let a thread wait for itself. */
	if (tid == 0 || pthread_equal(handle, pthread_self()))
		return;
	HOOK(t) {
		if (handle_note(handle, tid, false).tseq == 0)
			sync_thread(t, FORMAT_K_JOINING, timed ? FORMAT_WAIT_TIMED : 0, tid, 0, 1);
	}
}

/* A join or a detach did not come about, with the error number r. */
static void join_failed(struct thread *t, pthread_t handle, uint32_t tid, int r)
{
	unsigned why = r == EBUSY || r == ETIMEDOUT ? FORMAT_JOIN_UNENDED : FORMAT_JOIN_REFUSED;

	if (!pthread_equal(handle, pthread_self())) /* of itself a thread is refused in every run */
		sync_thread(t, FORMAT_K_JOINING, why, tid, 0, 1);
}

void create_join_done(pthread_t handle, uint32_t tid, bool timed, void *out, size_t n, int r)
{
	if (tid == 0)
		return;
	HOOK(t) {
		if (r == 0) {
			sync_thread(t, FORMAT_K_JOIN, timed ? FORMAT_WAIT_TIMED : 0, tid,
				    handle_note(handle, tid, true).tseq, 2);
			if (out != NULL)
				range_wrote(t, out, n, t->view.call_site);
		} else {
			join_failed(t, handle, tid, r);
		}
	}
}

void create_detach_done(pthread_t handle, uint32_t tid, int r)
{
	if (tid == 0)
		return;
	HOOK(t) {
		if (r == 0) {
			handle_note(handle, tid, true);
			sync_thread(t, FORMAT_K_DETACH, 0, tid, 0, 1);
		} else {
			join_failed(t, handle, tid, r);
		}
	}
}

/* Only a thread's own name: a record belongs to the thread that makes it. */
static void thread_named(pthread_t handle, const char *name)
{
	if (pthread_equal(handle, pthread_self()))
		HOOK(t)
			sync_name(t, name, strlen(name));
}

#define INTERPOSED_THREADS
#include "capture/interposed.def"
