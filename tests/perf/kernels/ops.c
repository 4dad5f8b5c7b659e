/*
 * One thing over and over, by one thread, that comes by a breakpoint before and one after: ops N 1 OPERATION.
 */
#include "kernel.h"

#include <stdatomic.h>
#include <string.h>

#define NEAR 8	/* words, where the same come again */
#define WARM 64 /* times before it is counted */

static struct kernel kernel;
static const char *operation;
static long *words;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long atom;

/* Does DO for i from there to there. */
#define OPERATION(name, DO)                                           \
	static void name(unsigned long i, unsigned long end, long *w) \
	{                                                             \
		for (; i < end; i++) {                                \
			DO;                                           \
			__asm__ volatile(""); /* it stays a loop */   \
		}                                                     \
		(void)w;                                              \
	}

OPERATION(nothing, )
OPERATION(read_again, (void)*(volatile long *)&w[i % NEAR])
OPERATION(read_again_int, (void)*(volatile int *)&w[i % NEAR])
OPERATION(read_first, (void)*(volatile long *)&w[i])
OPERATION(store, *(volatile long *)&w[i % NEAR] = (long)(i & 7))
OPERATION(count, ++*(volatile long *)&w[i % NEAR])
OPERATION(fetch_add, atomic_fetch_add_explicit(&atom, 1, memory_order_relaxed))
OPERATION(lock, (pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)))

static const struct {
	const char *name;
	void (*run)(unsigned long i, unsigned long end, long *w);
} operations[] = {
	{ "nothing", nothing },
	{ "read_again", read_again },
	{ "read_again_int", read_again_int },
	{ "read_first", read_first },
	{ "store", store },
	{ "count", count },
	{ "fetch_add", fetch_add },
	{ "lock", lock },
};

static void *work(void *arg)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (strcmp(operation, operations[i].name) != 0)
			continue;
		operations[i].run(0, WARM, words);
		__asm__ volatile("int3");
		operations[i].run(WARM, WARM + (unsigned long)kernel.scale, words);
		__asm__ volatile("int3");
	}
	return arg;
}

int main(int argc, char **argv)
{
	kernel = kernel_args(argc, argv, 1000);
	operation = argc > 3 ? argv[3] : "nothing";
	words = kernel_alloc((size_t)kernel.scale + WARM, sizeof(*words));
	kernel_team(1, work);
	free(words);
	printf("ops %ld: %s\n", kernel.scale, operation);
	return 0;
}
