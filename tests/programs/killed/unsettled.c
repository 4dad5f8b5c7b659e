/* Two threads that never synchronise, and a race; the process is killed when both have gone far. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define FAR 20000

static volatile long gone[2];
static long counter, table[64];

static void *work(void *arg)
{
	long me = (long)arg, sum = 0;

	for (;;) {
		for (int k = 0; k < 8; k++)
			if (table[(gone[me] + k) & 63] > 0)
				sum++;
		counter += sum + me; /* race */
		gone[me]++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	while (gone[0] < FAR || gone[1] < FAR)
		usleep(100);
	kill(getpid(), SIGKILL);
}
