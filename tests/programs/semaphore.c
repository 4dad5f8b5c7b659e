/* Semaphores, unnamed and named. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t s;
static struct timespec past, future = { 0x7fffffff, 0 };

static void *poster(void *arg)
{
	sem_post(&s); // expect T2: threadbegin; sempost s; threadend
	return arg;
}
static volatile int step; /* between two calls in vain, of which one would tell it all */

int main(void)
{
	char name[64];
	pthread_t t;
	sem_t *named;

	sem_init(&s, 0, 1);				  // expect T1: threadbegin; seminit s 1
	assert(sem_trywait(&s) == 0);			  // expect T1: semwait s
	assert(sem_trywait(&s) == -1 && errno == EAGAIN); // expect T1: semfail s
	step = 1;
	assert(sem_timedwait(&s, &past) == -1 && errno == ETIMEDOUT); // expect T1: semfail s
	step = 2;
	assert(sem_clockwait(&s, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
	pthread_create(&t, NULL, poster, NULL);			 // expect T1: semfail s; fork T2
	sem_wait(&s);						 // expect T1: semwait s
	pthread_join(t, NULL);					 // expect T1: join T2
	sem_post(&s);						 // expect T1: sempost s
	assert(sem_timedwait(&s, &future) == 0);		 // expect T1: semwait s
	sem_post(&s);						 // expect T1: sempost s
	assert(sem_clockwait(&s, CLOCK_REALTIME, &future) == 0); // expect T1: semwait s
	sem_destroy(&s);					 // expect T1: semdestroy s
	snprintf(name, sizeof(name), "/foresee-test-%d", (int)getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 0); // expect T1: give unseen; take unseen
	assert(named != SEM_FAILED);
	sem_unlink(name); // expect T1: give unseen; take unseen
	sem_post(named);  // expect T1: sempost
	sem_wait(named);  // expect T1: semwait
	sem_close(named);
	return 0; // expect T1: threadend
}
