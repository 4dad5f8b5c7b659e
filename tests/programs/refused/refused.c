/*
 * Calls that fail.  In each case (the argument) thread b does something to `x' because a call failed,
 * and it failed because of what thread a had done, after its own access of `x': no run has the two
 * accesses side by side.  Both write `early' before, and that is a race.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static pthread_t late;
static int early, x;

static void want(int got, int wanted)
{
	if (got != wanted)
		abort();
}

/* ---- a lock that was destroyed ---- */

static void destroyed_a(void)
{
	pthread_mutex_lock(&m);
	x = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_destroy(&m);
}

static void destroyed_b(void)
{
	want(pthread_mutex_lock(&m), EINVAL);
	x = 2;
}

/* ---- a semaphore that cannot count further ---- */

static void overflow_a(void)
{
	x = 1;
	sem_post(&s);
}

static void overflow_b(void)
{
	want(sem_post(&s), -1);
	x = 2;
}

/* ---- a lock that cannot be destroyed, for it is held ---- */

static void held_a(void)
{
	x = 1;
	pthread_mutex_lock(&m);
}

static void held_b(void)
{
	want(pthread_mutex_destroy(&m), EBUSY);
	x = 2;
}

/* ---- a lock that nobody can have any more ---- */

static void *dies(void *unused)
{
	pthread_mutex_lock(&m);
	return unused;
}

static void given_up_a(void)
{
	pthread_t t;

	pthread_create(&t, NULL, dies, NULL);
	pthread_join(t, NULL);
	x = 1;
	want(pthread_mutex_lock(&m), EOWNERDEAD);
	pthread_mutex_unlock(&m);
}

static void given_up_b(void)
{
	want(pthread_mutex_lock(&m), ENOTRECOVERABLE);
	x = 2;
}

/* ---- a thread that had not ended; here b comes first, and what it saw binds it ---- */

static void *ends_late(void *unused)
{
	order_see(1);
	return unused;
}

static void running_b(void)
{
	pthread_mutex_lock(&m);
	if (pthread_tryjoin_np(late, NULL) == EBUSY)
		x = 2;
	pthread_mutex_unlock(&m);
}

static void running_a(void)
{
	pthread_join(late, NULL);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	x = 1;
}

/* ---- a wait until a time that is none: the lock is not let go ---- */

static void no_time_a(void)
{
	struct timespec none = { 1, 2000000000 };

	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	want(pthread_cond_timedwait(&c, &m, &none), EINVAL);
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
}

static void no_time_b(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
}

/* ---- all ---- */

static const struct test {
	const char *name;
	void (*a)(void), (*b)(void);
} tests[] = {
	{ "destroyed", destroyed_a, destroyed_b },
	{ "overflow", overflow_a, overflow_b },
	{ "held", held_a, held_b },
	{ "given-up", given_up_a, given_up_b },
	{ "no-time", no_time_a, no_time_b },
	{ "running", running_a, running_b },
};
static const struct test *test;

static void *thread_b(void *unused)
{
	early = 1;
	if (test->a == running_a) {
		test->b();
		order_at(0);
	} else {
		order_see(1);
		test->b();
	}
	return unused;
}

static void make(void)
{
	pthread_mutexattr_t attr;

	if (test->a == overflow_a)
		sem_init(&s, 0, SEM_VALUE_MAX - 1);
	if (test->a == running_a)
		pthread_create(&late, NULL, ends_late, NULL);
	if (test->a == given_up_a) {
		pthread_mutexattr_init(&attr);
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&m, &attr);
	}
}

int main(int argc, char **argv)
{
	pthread_t b;

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (argc > 1 && strcmp(argv[1], tests[i].name) == 0)
			test = &tests[i];
	if (test == NULL)
		return 2;
	make();
	pthread_create(&b, NULL, thread_b, NULL);
	early = 2;
	if (test->a == running_a) {
		order_see(1);
		test->a();
	} else {
		test->a();
		order_at(0);
	}
	pthread_join(b, NULL);
	return 0;
}
