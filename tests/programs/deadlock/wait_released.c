/* The lock of the log is let go of before the wait. */
// deadlock none
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, opened, log_lines;

static void *first(void *arg)
{
	order_see(1);
	pthread_mutex_lock(&g);
	opened++;
	pthread_mutex_unlock(&g);
	pthread_mutex_lock(&m);
	order_at(1);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&g);
	log_lines++;
	pthread_mutex_unlock(&g);
	order_at(0);
	order_at(2);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
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
