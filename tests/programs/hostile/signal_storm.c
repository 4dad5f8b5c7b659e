/* A profiler's signal a thousand times a second, in the middle of everything: handlers within
 * handlers, one that posts a semaphore, one that runs on a stack of its own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t samples;
static int total, nested, seen[4];

static void inner(int n)
{
	(void)n;
	__atomic_fetch_add(&nested, 1, __ATOMIC_RELAXED);
}

static void sample(int n)
{
	(void)n;
	sem_post(&samples);
	raise(SIGUSR1); /* a handler in a handler */
}

static void *reader(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++)
		while (sem_wait(&samples) != 0)
			;
	__atomic_store_n(&seen[0], 20, __ATOMIC_RELEASE);
	return NULL;
}

static void *worker(void *arg)
{
	int *own = arg;
	stack_t alt = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&alt, NULL);
	for (int n = 0; !__atomic_load_n(&seen[0], __ATOMIC_ACQUIRE); n++) {
		if (n > 500) /* the clock that signals is one of work: work, and leave no record */
			for (int i = 0; i < 100000; i++)
				__asm__ volatile("");
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
		for (int i = 0; i < 100; i++)
			*own += i;
	}
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
	free(alt.ss_sp);
	return NULL;
}

int main(void)
{
	struct itimerval fast = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction a = { .sa_handler = sample, .sa_flags = SA_RESTART | SA_ONSTACK };
	struct sigaction b = { .sa_handler = inner, .sa_flags = SA_RESTART | SA_NODEFER };
	pthread_t t[4];

	sem_init(&samples, 0, 0);
	sigaction(SIGPROF, &a, NULL);
	sigaction(SIGUSR1, &b, NULL);
	setitimer(ITIMER_PROF, &fast, NULL);
	pthread_create(&t[0], NULL, reader, NULL);
	for (int i = 1; i < 4; i++)
		pthread_create(&t[i], NULL, worker, &seen[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	setitimer(ITIMER_PROF, &off, NULL);
	return nested < 20 || total == 0;
}
