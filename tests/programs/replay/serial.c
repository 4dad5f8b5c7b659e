/* The barrier tells one thread of each round that it is the one, and that one takes another path. */
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int rounds, x;

static void *f(void *arg)
{
	for (int i = 0; i < 4; i++)
		if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) {
			pthread_mutex_lock(&m);
			rounds++;
			pthread_mutex_unlock(&m);
		}
	x++;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_barrier_init(&b, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", rounds, x);
	return 0;
}
