/*
 * Two threads sleep, in every way, for as many seconds as the command line says; one for longer than
 * the other, so that its access comes last.  What is slept for before the point of a replay takes no
 * time.  t9030-kinds.sh
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t nothing;
static int seconds, x;

static struct timespec deadline(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += seconds;
	return at;
}

static void *late(void *arg)
{
	struct timespec t = { seconds, 0 }, at;
	struct timeval v = { seconds, 0 };

	sleep(seconds);
	usleep(1000000u * seconds);
	nanosleep(&t, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	at = deadline();
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
	poll(NULL, 0, 1000 * seconds);
	ppoll(NULL, 0, &t, NULL);
	select(0, NULL, NULL, NULL, &v);
	pselect(0, NULL, NULL, NULL, &t, NULL);
	thrd_sleep(&t, NULL);
	at = deadline();
	pthread_mutex_lock(&m);
	pthread_cond_timedwait(&never, &m, &at);
	pthread_mutex_unlock(&m);
	at = deadline();
	sem_timedwait(&nothing, &at);
	x++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	seconds = argc > 1 ? atoi(argv[1]) : 0;
	sem_init(&nothing, 0, 0);
	pthread_create(&t, NULL, late, NULL);
	sleep(seconds);
	x++;
	pthread_join(t, NULL);
	printf("x %d\n", x);
	return 0;
}
