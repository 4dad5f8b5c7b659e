/*
 * A flag that is tested twice, the second time between two writes.  Who sets it finds the second of
 * them, or the first thread has not come to z: the two writes of z are never next at the same time.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
/* Words of their own. */
static _Alignas(16) atomic_int stop;
static _Alignas(16) atomic_int v;
static int z;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	if (atomic_load_explicit(&stop, memory_order_relaxed) == 0) {
		atomic_store_explicit(&v, 7, memory_order_relaxed);
		if (atomic_load_explicit(&stop, memory_order_relaxed) == 0)
			z = 1;
	}
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	atomic_store_explicit(&v, 0, memory_order_release);
	pthread_mutex_unlock(&m);
	order_at(2);
	return arg;
}

static void *third(void *arg)
{
	order_at(3);
	atomic_store_explicit(&stop, 1, memory_order_relaxed);
	if (atomic_load_explicit(&v, memory_order_acquire) == 0)
		z = 2;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, third, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
