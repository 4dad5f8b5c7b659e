/* A handler counts in one thread what another thread reads. */
#include <pthread.h>
#include <signal.h>

#include "../order.h"

int hits;
volatile int sink;

static void handler(int number)
{
	(void)number;
	hits++; // race hits
}

static void *reader(void *arg)
{
	order_at(1);
	sink = hits; // race hits
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, reader, NULL);
	pthread_kill(pthread_self(), SIGUSR1);
	order_at(0);
	pthread_join(t, NULL);
	return 0;
}
