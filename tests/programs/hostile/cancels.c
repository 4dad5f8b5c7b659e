/* Threads that are cancelled: in a wait, in read, at a point of their own, in the middle of anything. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static int total, cleaned, pipes[2];

static void clean(void *arg)
{
	(void)arg;
	cleaned++; /* the mutex is held */
	pthread_mutex_unlock(&lock);
}

static void clean_other(void *arg)
{
	pthread_mutex_lock(&lock);
	clean(arg);
}

static void *in_wait(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean, NULL);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_read(void *arg)
{
	char c;

	pthread_cleanup_push(clean_other, NULL);
	sem_post(&ready);
	while (read(pipes[0], &c, 1) == 1)
		;
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_lock(void *arg)
{
	pthread_cleanup_push(clean_other, NULL);
	sem_post(&ready);
	for (;;) {
		pthread_mutex_lock(&lock); /* no point of cancellation */
		total++;
		pthread_mutex_unlock(&lock);
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return arg;
}

static void *at_any_time(void *arg)
{
	double x = 1;

	pthread_cleanup_push(clean_other, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&ready);
	for (;;)
		x = x * 1.0000001 + 1; /* touches nothing that others see */
	pthread_cleanup_pop(0);
	return x > 0 ? arg : NULL;
}

int main(void)
{
	void *(*const ways[])(void *) = { in_wait, in_read, in_lock, at_any_time };

	sem_init(&ready, 0, 0);
	assert(pipe(pipes) == 0);
	for (int i = 0; i < 40; i++) {
		pthread_t t;
		void *r;

		pthread_create(&t, NULL, ways[i % 4], NULL);
		sem_wait(&ready);
		pthread_cancel(t);
		pthread_join(t, &r);
		assert(r == PTHREAD_CANCELED);
	}
	printf("%d\n", cleaned);
	return cleaned != 40;
}
