/*
 * Two gates count visitors, and the second one forgot that the count is shared.
 *
 * Each gate lets people in until the house is full.  It looks at the count, and then, under the lock,
 * adds to it: but between the two the other gate may have let in the last one.  One run shows nothing
 * of that, and nothing races: every access is made under the lock.
 *
 *	foresee explore examples/turnstile.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define FULL 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static int is_full(void)
{
	int full;

	pthread_mutex_lock(&m);
	full = inside >= FULL;
	pthread_mutex_unlock(&m);
	return full;
}

static void let_in(void)
{
	pthread_mutex_lock(&m);
	inside++;
	pthread_mutex_unlock(&m);
}

static void *gate(void *arg)
{
	(void)arg;
	while (!is_full())
		let_in();
	return NULL;
}

int main(void)
{
	pthread_t gates[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&gates[i], NULL, gate, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(gates[i], NULL);
	printf("%d inside\n", inside);
	assert(inside <= FULL);
	return 0;
}
