/* A thread busy with its own work, until a signal says that there is data. */
#include <pthread.h>
#include <signal.h>

#include "../order.h"

int data;
volatile int work, sink;
static volatile sig_atomic_t go; /* of one thread */

static void handler(int number)
{
	(void)number;
	sink = data;
	go = 1;
}

static void *receiver(void *arg)
{
	order_at(0);
	while (!go)
		work++;
	sink = data;
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, receiver, NULL);
	order_see(1);
	data = 1;
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
