/* The signal may get lost, so nobody waits for it longer than a moment. */
// deadlock none
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *first(void *arg)
{
	struct timespec until;

	pthread_mutex_lock(&m);
	while (!atomic_load(&ready)) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 2000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&c, &m, &until);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	atomic_store(&ready, 1);
	pthread_cond_signal(&c);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, first, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
