/*
 * A bank that may close while money is on its way.
 *
 * The clerk moves money from one account to the other, each of them under the lock, but not both
 * under one.  The manager closes the day, under the lock too; by then the clerk is nearly always
 * done.  At closing time there must be as much money as in the morning: monitor_balance.c says so.
 */
#include <foresee.h>
#include <pthread.h>
#include <stdio.h>

long savings = 70, current = 30;
static pthread_mutex_t vault = PTHREAD_MUTEX_INITIALIZER;

static void add(long *account, long amount)
{
	pthread_mutex_lock(&vault);
	*account += amount;
	pthread_mutex_unlock(&vault);
}

static void *clerk(void *arg)
{
	add(&savings, -20);
	add(&current, 20);
	return arg;
}

static void *manager(void *arg)
{
	unsigned papers = *(unsigned *)arg; /* to sign first: the clerk gets ahead */

	for (unsigned i = 0; i < 20 * 1000 * 1000; i++)
		papers = papers * 1664525u + 1013904223u;
	pthread_mutex_lock(&vault);
	FORESEE_EVENT("closed");
	pthread_mutex_unlock(&vault);
	printf("closed, page %08x\n", papers);
	return NULL;
}

int main(void)
{
	unsigned page = 7;
	pthread_t t[2];

	pthread_create(&t[0], NULL, clerk, NULL);
	pthread_create(&t[1], NULL, manager, &page);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
