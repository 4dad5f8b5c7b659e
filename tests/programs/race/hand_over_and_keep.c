/* A thread hands its data over and keeps writing it. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__thread int own;
int *box;

static void *first(void *arg)
{
	own = 3;
	pthread_mutex_lock(&m);
	box = &own;
	pthread_mutex_unlock(&m);
	own = 4; // race own
	order_at(0);
	order_see(3);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	int *p;

	pthread_mutex_lock(&m);
	p = box;
	pthread_mutex_unlock(&m);
	if (p)
		(*p)++; // race own
	order_at(2);
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
