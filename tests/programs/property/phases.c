// fine
/* A barrier keeps the two phases apart, in all runs. */
#include <foresee.h>
#include <pthread.h>

static pthread_barrier_t b;
volatile int filled;

static void *filler(void *arg)
{
	filled = 1;
	pthread_barrier_wait(&b);
	return arg;
}

static void *drainer(void *arg)
{
	pthread_barrier_wait(&b);
	FORESEE_EVENT("drain");
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t, NULL, filler, NULL);
	pthread_create(&u, NULL, drainer, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
