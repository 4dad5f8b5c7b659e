/*
 * Threads that come and go, and threads that never come.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

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
static void never_made(void)
{
	pthread_attr_t attr;
	long before = 0;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 46);
	for (int i = 0; i < 500; i++) {
		CAPTURE_CHECK(pthread_create(&t, &attr, nothing, NULL) == EAGAIN,
			      "a thread was made");
		if (i == 9)
			before = capture_mapped();
	}
	CAPTURE_CHECK(capture_mapped() == before, "%ld bytes lost", capture_mapped() - before);
	one_thread();
}

static const struct capture_case cases[] = {
	{ .name = "no memory for a cut", .run = starving },
	{ .name = "threads that cannot be made", .run = never_made },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
