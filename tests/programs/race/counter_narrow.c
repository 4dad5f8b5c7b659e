/*
 * Comparisons that come out otherwise in the other order, each for a reason of its own: a sign, a width, a
 * mask, a value that another comparison of the same load or a store lets through.  None may swap.
 */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
signed char sign = 127;
unsigned char width = 255;
unsigned mask = 3;
int twice = 4, copied = 1, copy;
int y[5];

static void *first(void *arg)
{
	for (int i = 0; i < 5; i++)
		y[i]++;
	pthread_mutex_lock(&m);
	sign = (signed char)200; /* -56 */
	width = 0;
	mask = 7;
	twice = 12;
	copied = 2;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	int go[5], v;

	order_at(1);
	pthread_mutex_lock(&m);
	go[0] = sign < 0;
	go[1] = width < 200;
	go[2] = (mask & 4) != 0;
	v = twice;
	go[3] = v > 3 && v > 10;
	copy = copied;
	go[4] = copy > 1;
	pthread_mutex_unlock(&m);
	if (go[0])
		y[0]++;
	if (go[1])
		y[1]++;
	if (go[2])
		y[2]++;
	if (go[3])
		y[3]++;
	if (go[4])
		y[4]++;
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
