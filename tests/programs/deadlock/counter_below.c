/* The second thread asks for the other lock as long as the counter is small: it is, either way. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
int events; /* guarded by c */

static void *first(void *arg)
{
	pthread_mutex_lock(&c);
	events++;
	pthread_mutex_unlock(&c);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); // deadlock meet
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&c);
	events++;
	pthread_mutex_unlock(&c);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	int few;

	order_at(1);
	pthread_mutex_lock(&c);
	few = events < 100;
	pthread_mutex_unlock(&c);
	if (few) {
		pthread_mutex_lock(&b);
		pthread_mutex_lock(&a); // deadlock meet
		pthread_mutex_unlock(&a);
		pthread_mutex_unlock(&b);
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
