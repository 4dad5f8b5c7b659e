/* The result of one thread is read when the other has ended. */
#include "explore.h"

static volatile int result[2];

static void *works(void *arg)
{
	result[NUMBER(arg)] = 9;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int seen;

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, works, (void *)i);
	pthread_join(t[fixed], NULL);
	seen = result[1];
	pthread_join(t[!fixed], NULL);
	return seen != 9;
}
