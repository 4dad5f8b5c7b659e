/* A pool of workers that are told to stop at the end; one more waits until the program ends. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int jobs, left, stop, idle;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	for (;;) {
		while (jobs == 0 && !stop)
			pthread_cond_wait(&work, &m);
		if (jobs == 0)
			break;
		jobs--;
		if (--left == 0)
			pthread_cond_signal(&done);
	}
	pthread_mutex_unlock(&m);
	return arg;
}

static void *daemon_worker(void *arg)
{
	pthread_mutex_lock(&m);
	while (!idle)
		pthread_cond_wait(&never, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? worker : daemon_worker, NULL);
	pthread_cond_signal(&never);
	pthread_mutex_lock(&m);
	for (int i = 0; i < 6; i++) {
		jobs++;
		left++;
		pthread_cond_signal(&work);
	}
	while (left > 0)
		pthread_cond_wait(&done, &m);
	stop = 1;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
