/*
 * The kernel refuses one of the runtime's system calls, each in turn: the program does not notice, and
 * what was recorded is consistent.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/harness.h"
#include "capture/hooks.h"

#define THREADS 6
#define ROUNDS 60

static uint64_t words[64], total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
	uint64_t mine = 0;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t *block = malloc(64 + 8 * (size_t)i);

		CAPTURE_CHECK(block != NULL, "no memory");
		foresee_fill(block, (int)i, 64, 0, NULL, 0);
		mine += foresee_read8(block, 0);
		free(block);
		pthread_mutex_lock(&lock);
		foresee_move(words + 1, words, sizeof(words) - 8, 0);
		foresee_write8(words, i, 0);
		foresee_write8(&total, foresee_read8(&total, 0) + 1, 0);
		pthread_mutex_unlock(&lock);
	}
	return (void *)(uintptr_t)(mine + (uintptr_t)arg);
}

static uint64_t pass(void)
{
	pthread_t t[THREADS];
	uint64_t sum = 0;
	void *got;

	for (uintptr_t i = 0; i < THREADS; i++)
		CAPTURE_CHECK(pthread_create(&t[i], NULL, worker, (void *)i) == 0, "no thread");
	for (int i = 0; i < THREADS; i++) {
		CAPTURE_CHECK(pthread_join(t[i], &got) == 0, "not joined");
		sum += (uintptr_t)got;
	}
	return sum;
}

/* A unit that registers late, mappings that come and go. */
static void surroundings(void)
{
	static const struct foresee_site sites[2] = { { 0 }, { .file = "a.c", .line = 1 } };
	static const void *functions[1] = { &sites };
	static uint32_t base;
	static struct foresee_watch watch;
	static const struct foresee_module unit = { .abi = FORESEE_ABI,
						    .nsites = 2,
						    .sites = sites,
						    .base = &base,
						    .functions = functions,
						    .nfunctions = 1,
						    .name = "a.c",
						    .watch = &watch };
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	foresee_module_register(&unit);
	CAPTURE_CHECK(p != MAP_FAILED, "no mapping");
	foresee_fill(p, 1, 5000, base + 1, NULL, 0);
	CAPTURE_CHECK(p[4999] == 1 && p[5000] == 0, "not filled");
	CAPTURE_CHECK(munmap(p, 1 << 20) == 0, "not unmapped");
	foresee_module_unregister(&unit);
}

static void faults(void)
{
	uint64_t sum = 0, want = THREADS * (THREADS - 1) / 2;

	for (uint64_t i = 0; i < ROUNDS; i++)
		want += THREADS * i * 0x0101010101010101u;
	sum = pass();
	surroundings();
	CAPTURE_CHECK(sum == want, "the sum is another");
	CAPTURE_CHECK(total == THREADS * ROUNDS, "%ju steps", (uintmax_t)total);
	CAPTURE_CHECK(words[0] == ROUNDS - 1, "the last word is another");
}

static const struct capture_case cases[] = {
	{ .name = "each call", .run = faults, .calls = true },
	{ .name = "each call, small chunks",
	  .run = faults,
	  .calls = true,
	  .steps = true,
	  .cut = "16384" },
	{ .name = "each call, areas",
	  .run = faults,
	  .calls = true,
	  .steps = true,
	  .cut = "8192",
	  .options = "keep=4194304\n" },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
