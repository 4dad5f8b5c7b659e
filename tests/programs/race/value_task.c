/* Value and Task: add takes the lock, get does not. */
#include <pthread.h>

#include "../order.h"

struct value {
	pthread_mutex_t lock;
	int x;
};

static struct value v = { PTHREAD_MUTEX_INITIALIZER, 1 }, w = { PTHREAD_MUTEX_INITIALIZER, 1 };

static int get(struct value *from)
{
	return from->x; // race x
}

static void add(struct value *to, struct value *from)
{
	pthread_mutex_lock(&to->lock);
	to->x += get(from); // race x
	pthread_mutex_unlock(&to->lock);
}

static void *first(void *arg)
{
	add(&v, &w);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	add(&w, &v);
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
