/* An eventcount: the mutex is taken only by who has to wait. */
// deadlock none
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int epoch, waiters, item;

static void *first(void *arg)
{
	while (!atomic_load(&item)) {
		int seen;

		atomic_fetch_add(&waiters, 1);
		seen = atomic_load(&epoch);
		if (!atomic_load(&item)) {
			pthread_mutex_lock(&m);
			while (atomic_load(&epoch) == seen)
				pthread_cond_wait(&c, &m);
			pthread_mutex_unlock(&m);
		}
		atomic_fetch_sub(&waiters, 1);
	}
	return arg;
}

static void *second(void *arg)
{
	atomic_store(&item, 1);
	if (atomic_load(&waiters) == 0)
		return arg;
	pthread_mutex_lock(&m);
	atomic_fetch_add(&epoch, 1);
	pthread_mutex_unlock(&m);
	pthread_cond_broadcast(&c);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, first, NULL);
	pthread_create(&t[2], NULL, second, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
