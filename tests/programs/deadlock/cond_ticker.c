/* A clock that ticks until the program ends: who misses a tick gets the next. */
// deadlock none
// warned lost-wakeup
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *clock_run(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
		usleep(500);
	}
	return arg;
}

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, clock_run, NULL);
	pthread_detach(t);
	pthread_create(&u, NULL, first, NULL);
	pthread_join(u, NULL);
	return 0;
}
