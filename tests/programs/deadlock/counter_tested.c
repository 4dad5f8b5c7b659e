/* The second thread asks for the other lock only if the counter says that the first is through. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int events; /* guarded by b */

// deadlock none
static void *first(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	events++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&b);
	if (events++ == 1) {
		pthread_mutex_lock(&a);
		pthread_mutex_unlock(&a);
	}
	pthread_mutex_unlock(&b);
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
