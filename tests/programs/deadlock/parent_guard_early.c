/* The parent opens the gate before it joins the child that the gate was to guard. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *child(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); // deadlock ab
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	order_at(0);
	return arg;
}

static void *other(void *arg)
{
	order_at(2);
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); // deadlock ab
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&gate);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&u, NULL, other, NULL);
	pthread_mutex_lock(&gate);
	pthread_create(&t, NULL, child, NULL);
	order_see(1);
	pthread_mutex_unlock(&gate);
	pthread_join(t, NULL);
	order_at(1);
	pthread_join(u, NULL);
	return 0;
}
