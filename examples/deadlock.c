/*
 * A deadlock that waits for its day, and a lock inversion that is none.
 *
 * A job is submitted under the queue's lock, and the log's is taken inside to write a line.  When
 * the log is rotated it is the other way round: the log asks how long the queue is.  The rotation
 * comes late, when the jobs are in, so a run nearly always ends well.
 *
 * The table of users and the table of quotas are locked in both orders too, but only by who
 * holds `config'.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t config = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t users = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t quotas = PTHREAD_MUTEX_INITIALIZER;

static int queued;    /* guarded by queue_lock */
static int log_lines; /* guarded by log_lock */

static void log_line(void)
{
	pthread_mutex_lock(&log_lock);
	log_lines++;
	pthread_mutex_unlock(&log_lock);
}

static void submit(void)
{
	pthread_mutex_lock(&queue_lock);
	queued++;
	log_line();
	pthread_mutex_unlock(&queue_lock);
}

static int queue_length(void)
{
	int n;

	pthread_mutex_lock(&queue_lock);
	n = queued;
	pthread_mutex_unlock(&queue_lock);
	return n;
}

static void log_rotate(void)
{
	int jobs;

	pthread_mutex_lock(&log_lock);
	jobs = queue_length();
	printf("log: %d lines, %d jobs queued\n", log_lines, jobs);
	log_lines = 0;
	pthread_mutex_unlock(&log_lock);
}

static void both_tables(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(&config);
	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
	pthread_mutex_unlock(&config);
}

static void *clients(void *arg)
{
	both_tables(&users, &quotas);
	for (int i = 0; i < 5; i++)
		submit();
	return arg;
}

static void *janitor(void *arg)
{
	unsigned state = *(unsigned *)arg; /* some work first: the clients get ahead */

	for (unsigned i = 0; i < 20 * 1000 * 1000; i++)
		state = state * 1664525u + 1013904223u;
	both_tables(&quotas, &users);
	log_rotate();
	return (void *)(uintptr_t)state;
}

int main(void)
{
	unsigned seed = 7;
	pthread_t t[2];

	pthread_create(&t[0], NULL, clients, NULL);
	pthread_create(&t[1], NULL, janitor, &seed);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
