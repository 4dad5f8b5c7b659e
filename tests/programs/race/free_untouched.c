/* The block is freed first, and the worker writes to a part of it that nobody had touched. */
#include <pthread.h>
#include <stdlib.h>

#include "../order.h"

struct job {
	int id, pad[8], result;
};

static void *worker(void *arg)
{
	struct job *j = arg;

	order_at(1);
	j->result = 42; // race freed
	return NULL;
}

int main(void)
{
	struct job *j = malloc(sizeof(*j));
	pthread_t t;

	j->id = 7;
	pthread_create(&t, NULL, worker, j);
	free(j); // race freed
	order_at(0);
	pthread_join(t, NULL);
	return 0;
}
