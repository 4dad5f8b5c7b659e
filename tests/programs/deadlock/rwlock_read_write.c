/* Each reads one and then wants to write what the other reads: a writer waits for readers too. */
#include <pthread.h>

#include "../order.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *arg)
{
	pthread_rwlock_rdlock(&a);
	pthread_rwlock_wrlock(&b); // deadlock ab
	pthread_rwlock_unlock(&b);
	pthread_rwlock_unlock(&a);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_rwlock_rdlock(&b);
	pthread_rwlock_wrlock(&a); // deadlock ab
	pthread_rwlock_unlock(&a);
	pthread_rwlock_unlock(&b);
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
