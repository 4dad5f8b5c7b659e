/*
 * A race that a mutex hides.
 *
 * The worker adds to audit.total without a lock, then takes `m' for something
 * else.  The reporter takes `m' for something else, then reads audit.total
 * under a lock of its own.  When the worker is first, as nearly always here,
 * the two uses of `m' put the write before the read; when the reporter is
 * first nothing does.
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	int total;
	int entries;
} audit;
static int log_count;

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_entry(int amount)
{
	audit.total += amount; /* no lock held */
	pthread_mutex_lock(&m);
	audit.entries++;
	pthread_mutex_unlock(&m);
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
	int entries;

	for (unsigned i = 0; i < 20 * 1000 * 1000; i++)
		pages = pages * 1664525u + 1013904223u;
	pthread_mutex_lock(&m);
	entries = audit.entries;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&log_lock);
	log_count++;
	printf("report %08x: total %d of %d entries\n", pages, audit.total, entries);
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
