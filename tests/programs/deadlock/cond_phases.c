/* Waits between the rounds of a barrier: the same condition serves each of them. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int round_open;

static void *first(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		pthread_barrier_wait(&barrier);
		pthread_mutex_lock(&m);
		while (round_open < i)
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
		pthread_barrier_wait(&barrier);
	}
	return arg;
}

static void *second(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		pthread_barrier_wait(&barrier);
		pthread_mutex_lock(&m);
		round_open = i;
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
		pthread_barrier_wait(&barrier);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
