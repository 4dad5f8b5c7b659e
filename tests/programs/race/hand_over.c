/* A thread's own data handed over through a locked mailbox. */
#include <pthread.h>
#include <stdlib.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct parcel {
	int weight;
};

struct parcel *box;

static void *first(void *arg)
{
	struct parcel *p = malloc(sizeof(*p));

	p->weight = 3;
	pthread_mutex_lock(&m);
	box = p;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	struct parcel *p;

	pthread_mutex_lock(&m);
	p = box;
	box = NULL;
	pthread_mutex_unlock(&m);
	if (p) {
		p->weight++;
		free(p);
	}
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
