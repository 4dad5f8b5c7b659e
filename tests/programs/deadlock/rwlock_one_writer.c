/* Reads of one lock in both orders; the other is written, but no reader waits for a reader. */
#include <pthread.h>

#include "../order.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

// deadlock none
static void *first(void *arg)
{
	pthread_rwlock_rdlock(&a);
	pthread_rwlock_wrlock(&b);
	pthread_rwlock_unlock(&b);
	pthread_rwlock_unlock(&a);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_rwlock_wrlock(&b);
	pthread_rwlock_rdlock(&a);
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
