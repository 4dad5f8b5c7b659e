/*
 * A race that a mutex hides.
 *
 * The worker adds to audit.total without a lock, then takes `m' to count a line of the log.  The
 * reporter takes `m' to count a line too, then reads audit.total under a lock of its own.  When
 * the worker is first, as nearly always here, the two uses of `m' put the write before the read;
 * when the reporter is first nothing does.
 */
#include <pthread.h>
#include <stdio.h>

struct audit {
	int total;
	int rejected;
} audit;
static int log_lines;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void count_line(void)
{
	pthread_mutex_lock(&m);
	log_lines++;
	pthread_mutex_unlock(&m);
}

static void add_entry(int amount)
{
	if (amount < 0)
		audit.rejected++;
	audit.total += amount; /* no lock held */
	count_line();
}

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 10; i++)
		add_entry(i);
	return NULL;
}

static void *report(void *arg)
{
	unsigned pages = *(unsigned *)arg; /* a page to lay out first: the worker gets ahead */

	for (unsigned i = 0; i < 20 * 1000 * 1000; i++)
		pages = pages * 1664525u + 1013904223u;
	count_line();
	pthread_mutex_lock(&log_lock);
	printf("report %08x: total %d\n", pages, audit.total);
	pthread_mutex_unlock(&log_lock);
	return NULL;
}

int main(void)
{
	unsigned seed = 7;
	pthread_t t[2];

	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, report, &seed);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
