/* The owner frees when the worker is done. */
#include <pthread.h>
#include <stdlib.h>

#include "../order.h"

struct job {
	int size;
};

volatile int sink;

static void *worker(void *arg)
{
	struct job *j = arg;

	sink = j->size;
	return NULL;
}

int main(void)
{
	struct job *j = malloc(sizeof(*j));
	pthread_t t;

	j->size = 7;
	pthread_create(&t, NULL, worker, j);
	order_at(0);
	pthread_join(t, NULL);
	free(j);
	return 0;
}
