/* A latch that is counted without the mutex; who comes last goes through it once, empty. */
// deadlock none
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int left = 2;

static void count_down(void)
{
	if (atomic_fetch_sub(&left, 1) != 1)
		return;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_cond_broadcast(&c);
}

static void *first(void *arg)
{
	if (atomic_load(&left)) {
		pthread_mutex_lock(&m);
		while (atomic_load(&left))
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *second(void *arg)
{
	count_down();
	return arg;
}

int main(void)
{
	pthread_t t[4];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, first, NULL);
	pthread_create(&t[3], NULL, second, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
