/* One of the account's operations forgets the lock. */
#include <pthread.h>

#include "../order.h"

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account a = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void deposit(long n)
{
	pthread_mutex_lock(&a.lock);
	a.balance += n; // race balance
	pthread_mutex_unlock(&a.lock);
}

static void reset(void)
{
	a.balance = 0; // race balance
}

static void *first(void *arg)
{
	deposit(100);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	deposit(50);
	reset();
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
