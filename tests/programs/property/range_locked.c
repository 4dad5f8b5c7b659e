// fine
/* The reader uses the range while it has the lock for reading. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

struct range {
	volatile int low, high;
};

struct range range = { 1, 5 };
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&l);
	range.low = 10;
	range.high = 20;
	pthread_rwlock_unlock(&l);
	order_at(0);
	return arg;
}

static void *reader(void *arg)
{
	order_at(1);
	pthread_rwlock_rdlock(&l);
	FORESEE_EVENT("use");
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
