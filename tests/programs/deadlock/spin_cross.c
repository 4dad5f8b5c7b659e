/* A spin lock and a mutex, in both orders. */
#include <pthread.h>

#include "../order.h"

static pthread_spinlock_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	pthread_spin_lock(&s);
	pthread_mutex_lock(&m); // deadlock sm
	pthread_mutex_unlock(&m);
	pthread_spin_unlock(&s);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	pthread_spin_lock(&s); // deadlock sm
	pthread_spin_unlock(&s);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
