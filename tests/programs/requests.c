/* Who has to wait says so first, whatever it waits for; who does not, does not. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checks;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t s;
static mtx_t c;
static struct timespec past, future = { 0x7fffffff, 0 }, wrong = { 0, -1 };

static void *mutex(void *arg)
{
	order_me();
	pthread_mutex_lock(&m); // see T2: request m !try; lock m !try; unlock m
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m); // never T2: rdrequest
	pthread_mutex_unlock(&m);
	return arg;
}

static void *timed(void *arg)
{
	assert(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT); // see T3: request m try
	// see T3: tryfail m try
	assert(pthread_mutex_timedlock(&m, &wrong) == EINVAL);
	assert(pthread_mutex_clocklock(&m, -1, &future) == EINVAL);
	order_me();
	assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &future) == 0);
	pthread_mutex_unlock(&m); // see T3: request m try; lock m try; unlock m
	assert(pthread_mutex_clocklock(&m, -1, &future) == EINVAL);
	return arg;
}

static void *reader(void *arg)
{
	order_me();
	pthread_rwlock_rdlock(&l); // see T4: rdrequest l !try; rdlock l; rdunlock l
	pthread_rwlock_unlock(&l);
	assert(pthread_rwlock_timedrdlock(&l, &wrong) == EINVAL);
	return arg;
}

static void *writer(void *arg)
{
	assert(pthread_rwlock_timedwrlock(&l, &past) == ETIMEDOUT); // see T5: request l try
	// see T5: tryfail l
	order_me();
	pthread_rwlock_wrlock(&l); // see T5: request l write !try; lock l write; unlock l
	pthread_rwlock_unlock(&l);
	return arg;
}

static void *spinner(void *arg)
{
	order_me();
	pthread_spin_lock(&s); // see T6: request s; lock s; unlock s
	pthread_spin_unlock(&s);
	return arg;
}

static void *c11(void *arg)
{
	assert(mtx_timedlock(&c, &past) == thrd_timedout); // see T7: request c try; tryfail c try
	order_me();
	mtx_lock(&c); // see T7: request c !try; lock c; unlock c
	mtx_unlock(&c);
	return arg;
}

static void *late(void *arg)
{
	order_asleep(); // its maker joins it
	return arg;
}

static void refusals(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checks, &attr);
	pthread_mutex_lock(&checks);
	assert(pthread_mutex_lock(&checks) == EDEADLK); // never T1: request
	assert(pthread_mutex_timedlock(&checks, &past) == EDEADLK);
	pthread_mutex_unlock(&checks);
	pthread_rwlock_wrlock(&l);
	assert(pthread_rwlock_wrlock(&l) == EDEADLK);
	assert(pthread_rwlock_rdlock(&l) == EDEADLK); // never T1: rdrequest
	pthread_rwlock_unlock(&l);
}

static pthread_t start(void *(*run)(void *))
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	if (run == spinner)
		order_spins();
	else if (run != late)
		order_asleep();
	return t;
}

int main(void)
{
	pthread_t t[6];
	int i = 0;

	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	mtx_init(&c, mtx_timed);
	refusals();
	pthread_mutex_lock(&m);
	t[i++] = start(mutex);
	pthread_mutex_unlock(&m);
	pthread_join(t[0], NULL);
	pthread_mutex_lock(&m);
	t[i++] = start(timed);
	pthread_mutex_unlock(&m);
	pthread_rwlock_wrlock(&l);
	t[i++] = start(reader);
	pthread_rwlock_unlock(&l);
	pthread_join(t[2], NULL);
	pthread_rwlock_rdlock(&l);
	t[i++] = start(writer);
	pthread_rwlock_unlock(&l);
	pthread_spin_lock(&s);
	t[i++] = start(spinner);
	pthread_spin_unlock(&s);
	mtx_lock(&c);
	t[i++] = start(c11);
	mtx_unlock(&c);
	pthread_join(t[1], NULL);
	pthread_join(t[3], NULL);
	pthread_join(t[4], NULL);
	pthread_join(t[5], NULL);
	t[0] = start(late);
	order_me();
	pthread_join(t[0], NULL); // see T1: joining T8 !try; join T8
	t[0] = start(late);
	order_me();
	assert(pthread_timedjoin_np(t[0], NULL, &future) == 0); // see T1: joining T9 try; join T9
	return 0;
}
