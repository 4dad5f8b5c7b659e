/*
 * A hash table with chained buckets and one mutex per stripe of buckets; nodes
 * come from malloc.  Threads add to counters of shared keys and now and then
 * remove a key of their own.  Lock-heavy.
 */
#include "kernel.h"

#define BUCKETS 4096
#define STRIPES 64
#define KEYS 20000 /* shared keys; private keys lie above */

struct node {
	struct node *next;
	uint64_t key, value;
};

static struct kernel kernel;
static struct node *buckets[BUCKETS]; /* guarded by stripes[bucket % STRIPES] */
static pthread_mutex_t stripes[STRIPES];

static unsigned bucket_of(uint64_t key)
{
	return (unsigned)((key * 0x9e3779b97f4a7c15u) >> 52) % BUCKETS;
}

static void add(uint64_t key, uint64_t value)
{
	unsigned b = bucket_of(key);
	struct node *n;

	pthread_mutex_lock(&stripes[b % STRIPES]);
	for (n = buckets[b]; n && n->key != key; n = n->next)
		;
	if (!n) {
		n = kernel_alloc(1, sizeof(*n));
		n->key = key;
		n->next = buckets[b];
		buckets[b] = n;
	}
	n->value += value;
	pthread_mutex_unlock(&stripes[b % STRIPES]);
}

static void discard(uint64_t key)
{
	unsigned b = bucket_of(key);
	struct node **at, *n;

	pthread_mutex_lock(&stripes[b % STRIPES]);
	for (at = &buckets[b]; (n = *at) && n->key != key; at = &n->next)
		;
	if (n)
		*at = n->next;
	pthread_mutex_unlock(&stripes[b % STRIPES]);
	free(n);
}

static void *work(void *arg)
{
	uint64_t state = 1442695040888963407u + (uint64_t)(intptr_t)arg;
	uint64_t own = KEYS + (uint64_t)(intptr_t)arg;

	for (long i = 0; i < kernel.scale / kernel.threads; i++) {
		uint64_t r = kernel_random(&state);

		add(r % KEYS, r >> 48);
		if (i % 8 == 0)
			add(own + KEYS * (r >> 60), 1);
		if (i % 8 == 4)
			discard(own + KEYS * (r >> 60));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0, nodes = 0;

	kernel = kernel_args(argc, argv, 1500000);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripes[i], NULL);
	kernel_team(kernel.threads, work);
	for (int b = 0; b < BUCKETS; b++) {
		while (buckets[b]) {
			struct node *n = buckets[b];

			buckets[b] = n->next;
			sum += n->key * n->value;
			nodes++;
			free(n);
		}
	}
	printf("hashtable %ld: %llu nodes, sum %llu\n", kernel.scale, (unsigned long long)nodes,
	       (unsigned long long)sum);
	return 0;
}
