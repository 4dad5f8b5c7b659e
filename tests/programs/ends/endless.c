/* Two threads that race for ever, as fast as they can. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static int shared, table[1024];

static void *work(void *arg)
{
	/* Both have raced before there is much to record. */
	order_see(arg ? 1 : 0);
	shared++;
	order_at(arg ? 1 : 0);
	order_see(2);
	for (unsigned i = 0;; i++) {
		shared++;
		table[i % 1024] = (int)i;
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	work(&t);
	return 0;
}
