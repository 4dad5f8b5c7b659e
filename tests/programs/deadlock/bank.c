/* Transfers lock the payer's account, then the payee's. */
#include <pthread.h>

#include "../order.h"

#define ACCOUNTS 6

static struct account {
	pthread_mutex_t lock;
	long balance; /* guarded by lock */
} accounts[ACCOUNTS];

static void transfer(struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock); // deadlock accounts x2
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *first(void *arg)
{
	for (int i = 0; i < ACCOUNTS; i++)
		transfer(&accounts[i], &accounts[(i + 1) % ACCOUNTS], 10);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	for (int i = 0; i < ACCOUNTS; i++)
		transfer(&accounts[(i + 1) % ACCOUNTS], &accounts[i], 5);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_init(&accounts[i].lock, NULL);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
