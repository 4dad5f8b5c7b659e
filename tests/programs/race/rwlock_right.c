/* Readers share, the writer is alone. */
#include <pthread.h>

#include "../order.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int table;
volatile int sink;

static void *first(void *arg)
{
	pthread_rwlock_rdlock(&l);
	int seen = table;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	table = seen + 1;
	pthread_rwlock_unlock(&l);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_rwlock_rdlock(&l);
	int now = table;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	table = now + 2;
	pthread_rwlock_unlock(&l);
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
