/* The flag is set and the signal sent between test and wait: the recorded run ends there. */
// hangs
#include <pthread.h>
#include <stdatomic.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	while (!atomic_load(&ready)) {
		order_at(0);
		order_see(2);
		pthread_cond_wait(&c, &m); // lost-wakeup ready
	}
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	order_see(1);
	atomic_store(&ready, 1);
	pthread_cond_signal(&c); // lost-wakeup ready
	order_at(1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
