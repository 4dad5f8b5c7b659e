/*
 * A condition wait takes its mutex back, and waits for it like any other request.  The reporter
 * holds the list all the while, so its first request of m is in the same danger.
 */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready; /* guarded by m */

static void *reporter(void *arg)
{
	pthread_mutex_lock(&list);
	pthread_mutex_lock(&m); // deadlock first
	order_at(0);
	while (!ready)
		pthread_cond_wait(&c, &m); // deadlock again
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&list);
	order_at(2);
	return arg;
}

static void *worker(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *cleaner(void *arg)
{
	order_at(3);
	pthread_mutex_lock(&m);
	if (ready) {
		pthread_mutex_lock(&list); // deadlock first // deadlock again
		pthread_mutex_unlock(&list);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u, v;

	pthread_create(&t, NULL, reporter, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_create(&v, NULL, cleaner, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	pthread_join(v, NULL);
	return 0;
}
