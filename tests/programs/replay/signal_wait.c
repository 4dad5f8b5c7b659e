/*
 * Handlers that run while their thread waits on a condition: one that races, and behind that one without which nobody
 * would end the wait.  t9030-kinds.sh
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t comes;
static int ready, x, racing, late;

static void races(int n)
{
	(void)n;
	x++;
	__atomic_store_n(&racing, 1, __ATOMIC_RELAXED);
}

static void is_late(int n)
{
	(void)n;
	__atomic_store_n(&late, 1, __ATOMIC_RELAXED);
}

static void *f(void *arg)
{
	sem_post(&comes);
	for (volatile int i = 0; i < 20000000; i++)
		;
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&cond, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&comes, 0, 0);
	signal(SIGUSR1, races);
	signal(SIGUSR2, is_late);
	pthread_create(&t, NULL, f, NULL);
	sem_wait(&comes);
	usleep(300000); /* it waits by now; in a replay nobody sleeps, and the signal comes early */
	pthread_kill(t, SIGUSR1);
	pthread_mutex_lock(&m); /* which the handler does not hold */
	pthread_mutex_unlock(&m);
	x++;
	while (!__atomic_load_n(&racing, __ATOMIC_RELAXED))
		;
	pthread_kill(t, SIGUSR2);
	while (!__atomic_load_n(&late, __ATOMIC_RELAXED))
		;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	printf("%d\n", x);
	return 0;
}
