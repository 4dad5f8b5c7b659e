/* Transfers lock the account with the lower address first. */
#include <pthread.h>

#include "../order.h"

#define ACCOUNTS 6

static struct account {
	pthread_mutex_t lock;
	long balance; /* guarded by lock */
} accounts[ACCOUNTS];

// deadlock none
static void transfer(struct account *from, struct account *to, long amount)
{
	struct account *one = from < to ? from : to, *other = from < to ? to : from;

	pthread_mutex_lock(&one->lock);
	pthread_mutex_lock(&other->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&other->lock);
	pthread_mutex_unlock(&one->lock);
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
