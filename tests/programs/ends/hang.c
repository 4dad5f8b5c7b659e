/* Hangs that are no circle of locks: hang WHAT.  Whoever is joined has done all it will ever do. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;

static void *forget(void *arg)
{
	pthread_mutex_lock(&m);
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);
	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, strcmp(what, "holder") == 0 ? forget : nothing, NULL);
	pthread_join(t, NULL);
	if (strcmp(what, "holder") == 0) {
		pthread_mutex_lock(&m);
	} else if (strcmp(what, "condition") == 0) {
		pthread_mutex_lock(&m);
		pthread_cond_wait(&c, &m);
	} else if (strcmp(what, "barrier") == 0) {
		pthread_barrier_wait(&b);
	} else if (strcmp(what, "semaphore") == 0) {
		sem_wait(&s);
	}
	return 0;
}
