/*
 * Mutexes in all orders, by one thread, which says what it does: a lean record must mean the same.
 * Nested deeper than is remembered, hand over hand, far apart; or, with an argument, released
 * though nobody has seen them being taken.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m[400 * 1024]; /* 16 MB */

static void lock(unsigned i)
{
	printf("lock %zu\n", i * sizeof(*m));
	pthread_mutex_lock(&m[i]);
}

static void unlock(unsigned i)
{
	printf("unlock %zu\n", i * sizeof(*m));
	pthread_mutex_unlock(&m[i]);
}

static void nest(unsigned i, unsigned depth, unsigned step)
{
	lock(i);
	if (depth > 1)
		nest(i + step, depth - 1, step);
	unlock(i);
}

static void orders(void)
{
	for (unsigned round = 0; round < 2000; round++) {
		nest(round % 50, 1 + round % 20, 1 + round % 3 * 10000);
		lock(0);
		for (unsigned i = 1; i < 12; i++) {
			lock(i);
			unlock(i - 1);
		}
		unlock(11);
	}
}

static void copies(void)
{
	pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&locked);
	for (unsigned i = 0; i < 10; i++)
		m[i] = locked;
	pthread_mutex_unlock(&locked);
	for (unsigned i = 0; i < 10; i++)
		unlock(i);
	for (unsigned i = 0; i < 10; i++)
		nest(i, 2, 1);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		copies();
	else
		orders();
	return 0;
}
