/* Are there threads side by side that write to the same view (capture/hooks.h)? */
#include <pthread.h>
#include <stdio.h>

#define THREADS 8

extern __thread void *foresee_self;

static pthread_barrier_t all_here;
static void *views[THREADS];

static void *look(void *at)
{
	*(void **)at = foresee_self;
	pthread_barrier_wait(&all_here); /* nobody has ended before */
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int shared = 0;

	pthread_barrier_init(&all_here, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, look, &views[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++) {
		shared += views[i] == foresee_self;
		for (int k = 0; k < i; k++)
			shared += views[i] == views[k];
	}
	printf("%d shared\n", shared);
	return 0;
}
