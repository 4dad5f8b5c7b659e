/* A robust mutex outlives its owner: the next one gets it, and may give it up for good. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;

static void *dies(void *arg)
{
	pthread_mutex_lock(&m); // expect T2: threadbegin; lock m; threadend
	return arg;		// expect T3: threadbegin; lock m; threadend
}

static void leave_it_locked(void)
{
	pthread_t t;

	pthread_create(&t, NULL, dies, NULL);
	pthread_join(t, NULL);
}

int main(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attr);
	leave_it_locked(); // expect T1: threadbegin; lockinit m; fork T2; join T2
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	pthread_mutex_consistent(&m);
	pthread_mutex_unlock(&m);
	leave_it_locked(); // expect T1: lock m; unlock m; fork T3; join T3
	assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
	pthread_mutex_unlock(&m); /* not made consistent */
	assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
	return 0; // expect T1: lock m try; unlock m; threadend
}
