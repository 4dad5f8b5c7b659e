/*
 * A pipeline of stages, one thread each.  Blocks of numbers travel through
 * queues; a queue has two counting semaphores and a mutex.  The first stage
 * allocates a block, the last one frees it.  Lock-heavy.
 */
#include "kernel.h"

#include <semaphore.h>

#define CAPACITY 16
#define BLOCK 16

struct block {
	uint64_t item[BLOCK];
	long number;
};

struct queue {
	sem_t room, filled;
	pthread_mutex_t lock;
	struct block *slot[CAPACITY]; /* guarded by lock */
	unsigned head, tail;	      /* guarded by lock */
};

static struct kernel kernel;
static struct queue *queues; /* queue s leads from stage s to stage s + 1 */
static uint64_t sum;	     /* last stage only, until it is joined */

static void sem_take(sem_t *s)
{
	while (sem_wait(s) != 0)
		; /* interrupted by a signal */
}

static void queue_put(struct queue *q, struct block *b)
{
	sem_take(&q->room);
	pthread_mutex_lock(&q->lock);
	q->slot[q->tail++ % CAPACITY] = b;
	pthread_mutex_unlock(&q->lock);
	sem_post(&q->filled);
}

static struct block *queue_get(struct queue *q)
{
	struct block *b;

	sem_take(&q->filled);
	pthread_mutex_lock(&q->lock);
	b = q->slot[q->head++ % CAPACITY];
	pthread_mutex_unlock(&q->lock);
	sem_post(&q->room);
	return b;
}

static struct block *make(long number)
{
	struct block *b = kernel_alloc(1, sizeof(*b));

	b->number = number;
	for (int i = 0; i < BLOCK; i++)
		b->item[i] = (uint64_t)(number * BLOCK + i);
	return b;
}

static void finish(struct block *b)
{
	for (int i = 0; i < BLOCK; i++)
		sum = sum * 31 + b->item[i];
	free(b);
}

static void *stage(void *arg)
{
	int me = (int)(intptr_t)arg, last = kernel.threads - 1;

	for (long n = 0; n < kernel.scale; n++) {
		struct block *b = me == 0 ? make(n) : queue_get(&queues[me - 1]);

		for (int i = 0; i < BLOCK; i++)
			b->item[i] = (b->item[i] ^ (b->item[i] >> 5)) * (uint64_t)(2 * me + 3);
		if (me == last)
			finish(b);
		else
			queue_put(&queues[me], b);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	kernel = kernel_args(argc, argv, 200000);
	queues = kernel_alloc((size_t)kernel.threads, sizeof(*queues));
	for (int i = 0; i < kernel.threads; i++) {
		sem_init(&queues[i].room, 0, CAPACITY);
		sem_init(&queues[i].filled, 0, 0);
		pthread_mutex_init(&queues[i].lock, NULL);
	}
	kernel_team(kernel.threads, stage);
	printf("pipeline %ld: sum %llu\n", kernel.scale, (unsigned long long)sum);
	free(queues);
	return 0;
}
