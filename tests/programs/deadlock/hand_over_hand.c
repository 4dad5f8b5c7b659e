/* Hand over hand along a list, everybody from its head. */
#include <pthread.h>

#include "../order.h"

#define NODES 4

static struct node {
	pthread_mutex_t lock;
	int visits;
} list[NODES + 1];

// deadlock none
static void walk(int at, int step)
{
	pthread_mutex_lock(&list[at].lock);
	for (; at + step >= 1 && at + step <= NODES; at += step) {
		list[at].visits++;
		pthread_mutex_lock(&list[at + step].lock);
		pthread_mutex_unlock(&list[at].lock);
	}
	list[at].visits++;
	pthread_mutex_unlock(&list[at].lock);
}

static void *first(void *arg)
{
	walk(1, 1);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	walk(1, 1);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	for (int i = 1; i <= NODES; i++)
		pthread_mutex_init(&list[i].lock, NULL);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
