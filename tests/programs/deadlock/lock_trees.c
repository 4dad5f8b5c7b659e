/*
 * Three inversions in the lock trees of two threads, two of them behind gates: L2 and L3 under
 * L1, L2 and L3 under L4.  Only L3 and L4 meet, and only if the second thread has passed L1
 * before the first one enters it.
 */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t l1 = PTHREAD_MUTEX_INITIALIZER, l2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t l3 = PTHREAD_MUTEX_INITIALIZER, l4 = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
	pthread_mutex_lock(&l1);
	pthread_mutex_lock(&l3);
	pthread_mutex_lock(&l2);
	pthread_mutex_unlock(&l2);
	pthread_mutex_lock(&l4); // deadlock trees
	pthread_mutex_unlock(&l4);
	pthread_mutex_unlock(&l3);
	pthread_mutex_unlock(&l1);

	pthread_mutex_lock(&l4);
	pthread_mutex_lock(&l2);
	pthread_mutex_lock(&l3);
	pthread_mutex_unlock(&l3);
	pthread_mutex_unlock(&l2);
	pthread_mutex_unlock(&l4);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&l1);
	pthread_mutex_lock(&l2);
	pthread_mutex_lock(&l3);
	pthread_mutex_unlock(&l3);
	pthread_mutex_unlock(&l2);
	pthread_mutex_unlock(&l1);

	pthread_mutex_lock(&l4);
	pthread_mutex_lock(&l3); // deadlock trees
	pthread_mutex_lock(&l2);
	pthread_mutex_unlock(&l2);
	pthread_mutex_unlock(&l3);
	pthread_mutex_unlock(&l4);
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
