/*
 * The second thread reads a[0] twice and a[1] once, all at one place.  In a run in which it comes first and
 * waits for the write of a[0], the second read is still one that sees nothing new.
 */
#include <pthread.h>

#include "../order.h"

static int a[2];

static void *first(void *arg)
{
	for (volatile int i = 0; i < 20000000; i++)
		;
	a[0] = 5;
	order_at(0);
	a[1] = 7;
	return arg;
}

static void *second(void *arg)
{
	static const int which[3] = { 0, 0, 1 };

	order_at(1);
	for (volatile int i = 0; i < 3; i++)
		if (a[which[i]] == 99)
			return NULL;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
