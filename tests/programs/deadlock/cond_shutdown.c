/* Workers sleep until there is work or the end; the end is told after the last work. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int work, stop, done;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	for (;;) {
		while (!work && !stop)
			pthread_cond_wait(&c, &m);
		if (!work)
			break;
		work--;
		done++;
	}
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		work++;
		pthread_mutex_unlock(&m);
		pthread_cond_signal(&c);
	}
	pthread_mutex_lock(&m);
	stop = 1;
	pthread_mutex_unlock(&m);
	pthread_cond_broadcast(&c);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return done == 4 ? 0 : 1;
}
