// fine
/* The consumer waits on a condition until there is something. */
#include <foresee.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full; /* guarded by m */

static void *producer(void *arg)
{
	FORESEE_EVENT("produce");
	pthread_mutex_lock(&m);
	full = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *consumer(void *arg)
{
	pthread_mutex_lock(&m);
	while (!full)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	FORESEE_EVENT("consume");
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, producer, NULL);
	pthread_create(&u, NULL, consumer, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
