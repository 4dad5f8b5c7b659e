/* pthread_exit has the loader fetch a library, and free memory under its lock, which who makes a thread takes. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int x;

static void *quits(void *arg)
{
	sem_post(&done);
	pthread_exit(arg);
}

static void *adds(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	sem_init(&done, 0, 0);
	pthread_create(&t[0], NULL, quits, NULL);
	sem_wait(&done);
	for (int i = 1; i < 3; i++)
		pthread_create(&t[i], NULL, adds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", x);
	return 0;
}
