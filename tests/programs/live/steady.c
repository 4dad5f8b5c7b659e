/*
 * Four threads write variables of their own, N writes in all, and meet after every two.  When M
 * writes are done, the landing controller lands, in the harmless order; then they go on.  In the end the
 * program waits for a file, but not for long.
 *
 *	steady N M FILE SECONDS
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4
#define TURN 2

volatile long a, b, c, e;
volatile int radio = 1, approved, landing;
static pthread_barrier_t meeting;
static volatile long *const mine[THREADS] = { &a, &b, &c, &e };
static long turns, late;

static void land(int who)
{
	if (who == 0) {
		approved = radio;
		if (approved == 1)
			landing = 1;
	}
	if (who == 1) {
		for (volatile int i = 0; i < 50000000; i++)
			;
		radio = 0;
	}
}

static void *work(void *arg)
{
	int who = (int)(long)arg;

	for (long i = 0; i < turns; i++) {
		for (int k = 0; k < TURN; k++)
			*mine[who] = i;
		pthread_barrier_wait(&meeting);
		if (i == late)
			land(who);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	turns = (argc > 1 ? atol(argv[1]) : 1000) / (THREADS * TURN);
	late = (argc > 2 ? atol(argv[2]) : 500) / (THREADS * TURN);
	pthread_barrier_init(&meeting, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = argc > 4 ? atoi(argv[4]) * 10 : 0; i > 0; i--) {
		if (access(argv[3], F_OK) == 0)
			return 42;
		usleep(100000);
	}
	return 0;
}
