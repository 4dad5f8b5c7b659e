/* Two threads that race for ever, as fast as they can. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int shared, table[1024];

static void *work(void *arg)
{
	(void)arg;
	for (unsigned i = 0;; i++) {
		shared++;
		table[i % 1024] = (int)i;
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	work(NULL);
	return 0;
}
