/* Neighbouring bytes of one word, each with its own thread. */
#include <pthread.h>

#include "../order.h"

struct {
	char a, b;
	short c;
} f;

static void *first(void *arg)
{
	f.a = 1;
	f.a++;
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	f.b = 1;
	f.c = 2;
	f.b++;
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
