/* The other order is used before there is anybody else, and again when nobody is left. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

// deadlock none
static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
	pthread_mutex_lock(p);
	pthread_mutex_lock(q);
	pthread_mutex_unlock(q);
	pthread_mutex_unlock(p);
}

static void *worker(void *arg)
{
	both(&a, &b);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	both(&b, &a);
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	both(&b, &a);
	return 0;
}
