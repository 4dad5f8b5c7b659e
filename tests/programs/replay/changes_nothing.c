/*
 * Updates that change nothing are recorded as reads from the second one on, and at its gate nobody knows of an
 * update whether it will: the third one here looks like a read, and is none.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned bits;
static int x;

static void *f(void *arg)
{
	static const unsigned ors[] = { 3, 3, 12, 12, 12, 12 };
	unsigned sum = 0;

	for (int i = 0; i < 6; i++)
		if (atomic_fetch_or_explicit(&bits, ors[i], memory_order_relaxed) > 99)
			sum++;
	x = 1;
	return sum ? arg : NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	x = 2;
	pthread_join(t, NULL);
	return 0;
}
