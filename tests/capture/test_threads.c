/*
 * Threads that come and go, and threads that never come.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "capture/harness.h"
#include "capture/log.h"

static void *nothing(void *arg)
{
	return arg;
}

static void one_thread(void)
{
	pthread_t t;

	CAPTURE_CHECK(pthread_create(&t, NULL, nothing, NULL) == 0, "no thread");
	pthread_join(t, NULL);
}

/* So many end that a cut is due more than once, and there is no memory for anything. */
static void starving(void)
{
	for (int i = 0; i < 3; i++)
		one_thread();
	capture_starve(true);
	for (int i = 0; i < 5000; i++)
		one_thread();
	CAPTURE_CHECK(log_is_on(), "the recording has stopped");
}

/* A stack that large cannot be had. */
static void fail_to_make(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 47);
	CAPTURE_CHECK(pthread_create(&t, &attr, nothing, NULL) == EAGAIN, "a thread was made");
	pthread_attr_destroy(&attr);
}

/* Nothing is lost with any of them.  Each is told of in the trace, for which room is mapped, until this thread
 * has the largest slot there is: then the same room is used again. */
static void never_made(void)
{
	long before;

	while (thread_self()->size != FILE_SIZES - 1)
		fail_to_make();
	before = capture_mapped();
	for (int i = 0; i < 500; i++)
		fail_to_make();
	CAPTURE_CHECK(capture_mapped() == before, "%ld bytes lost", capture_mapped() - before);
	one_thread();
}

/*
 * Recording stops in one thread, which is held up on its way.  Nobody may find it off, and do things
 * that are not recorded, while another still records.
 */
static __thread bool is_stopper;
static bool there, locked, held_up; /* how far they have come */

static void watch(long number)
{
	if (is_stopper && number == SYS_futex)
		__atomic_store_n(&held_up, true, __ATOMIC_RELEASE);
}

static void *stopper(void *arg)
{
	is_stopper = true;
	__atomic_store_n(&there, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&locked, __ATOMIC_ACQUIRE))
		sched_yield();
	log_trouble("by this test", 0);
	return arg;
}

static void stopping(void)
{
	struct thread *t = thread_self();
	pthread_t other;

	capture_watch = watch;
	CAPTURE_CHECK(pthread_create(&other, NULL, stopper, NULL) == 0, "no thread");
	while (!__atomic_load_n(&there, __ATOMIC_ACQUIRE))
		sched_yield();
	t->view.live = 0; /* as in a hook */
	log_control_lock();
	__atomic_store_n(&locked, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&held_up, __ATOMIC_ACQUIRE) && t->limit != NULL)
		sched_yield();
	CAPTURE_CHECK(log_is_on() || t->limit == NULL, "off for some, on for others");
	log_control_unlock();
	t->view.live = THREAD_LIVE;
	pthread_join(other, NULL);
	CAPTURE_CHECK(!log_is_on(), "it goes on");
}

static const struct capture_case cases[] = {
	{ .name = "no memory for a cut", .run = starving },
	{ .name = "threads that cannot be made", .run = never_made },
	{ .name = "all stop", .run = stopping, .trouble = "by this test" },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
