/* A handler counts atomically. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "../order.h"

static atomic_int hits;
volatile int sink;

static void handler(int number)
{
	(void)number;
	atomic_fetch_add(&hits, 1);
}

static void *reader(void *arg)
{
	order_at(1);
	sink = atomic_load(&hits);
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
