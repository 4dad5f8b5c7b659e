/*
 * Half the threads put items into a bounded buffer, half take them out: one
 * mutex, two conditions.  Lock-heavy.
 */
#include "kernel.h"

#define CAPACITY 64

static struct kernel kernel;
static int producers, consumers;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint64_t buffer[CAPACITY]; /* guarded by lock, with all below */
static unsigned head, used;
static int producing;
static uint64_t total, taken;

static void put(uint64_t item)
{
	pthread_mutex_lock(&lock);
	while (used == CAPACITY)
		pthread_cond_wait(&not_full, &lock);
	buffer[(head + used++) % CAPACITY] = item;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

/* False when the buffer is empty and nobody will fill it again. */
static int take(uint64_t *item)
{
	int got;

	pthread_mutex_lock(&lock);
	while (used == 0 && producing > 0)
		pthread_cond_wait(&not_empty, &lock);
	got = used > 0;
	if (got) {
		*item = buffer[head];
		head = (head + 1) % CAPACITY;
		used--;
		pthread_cond_signal(&not_full);
	}
	pthread_mutex_unlock(&lock);
	return got;
}

static void produce(int index)
{
	for (long i = index; i < kernel.scale; i += producers)
		put((uint64_t)i * 2654435761u);
	pthread_mutex_lock(&lock);
	if (--producing == 0)
		pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
}

static void consume(void)
{
	uint64_t item, sum = 0, n = 0;

	while (take(&item)) {
		sum += item ^ (item >> 7);
		n++;
	}
	pthread_mutex_lock(&lock);
	total += sum;
	taken += n;
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	int index = (int)(intptr_t)arg;

	if (index < producers)
		produce(index);
	else
		consume();
	return NULL;
}

int main(int argc, char **argv)
{
	kernel = kernel_args(argc, argv, 300000);
	consumers = (kernel.threads + 1) / 2;
	producers = producing = kernel.threads > 1 ? kernel.threads - consumers : 1;
	kernel_team(producers + consumers, work);
	printf("prodcons %ld: %llu items, sum %llu\n", kernel.scale, (unsigned long long)taken,
	       (unsigned long long)total);
	return 0;
}
