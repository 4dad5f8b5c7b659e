/* Each thread is given the address of the same variable. */
#include "explore.h"

static atomic_int seen[2];

static void *works(void *arg)
{
	atomic_fetch_add(&seen[*(volatile int *)arg], 1);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int numbers[2] = { 0, 1 }, number;

	for (number = 0; number < 2; number++)
		pthread_create(&t[number], NULL, works, fixed ? &numbers[number] : &number);
	number = 0;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(seen[0] == 1 && seen[1] == 1);
	return 0;
}
