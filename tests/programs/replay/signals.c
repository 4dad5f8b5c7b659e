/*
 * Handlers that race: of a signal that a thread sends to itself, and of one that comes from another thread, before
 * or after.  t9030-kinds.sh
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int x, y, got;

static void from_other(int n)
{
	(void)n;
	x++;
	__atomic_store_n(&got, 1, __ATOMIC_RELAXED);
}

static void from_self(int n)
{
	(void)n;
	y++;
}

static void *f(void *arg)
{
	raise(SIGUSR2);
	while (!__atomic_load_n(&got, __ATOMIC_RELAXED))
		;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	signal(SIGUSR1, from_other);
	signal(SIGUSR2, from_self);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, f, NULL);
	pthread_kill(t[0], SIGUSR1);
	x++;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", x, y);
	return 0;
}
