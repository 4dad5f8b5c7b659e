/*
 * capture/locks_unwind against the unwinder of the compiler's runtime: from many places, in this
 * program and below functions of libc that call back, both find the same callers.
 *
 * The runtime is no part of the library that tests are linked with, so the file itself is taken in.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "capture/locks_unwind.c"
#include "tap.h"

#define MOST 256

static unsigned compared, differ;

/* Callers from here on, by rules. */
static int by_rules(uint64_t pc, uint64_t sp, uint64_t bp, void **out)
{
	int n = 0;

	while (n < MOST) {
		struct dl_find_object at;
		struct locks_rule r;
		uint64_t cfa;

		if (_dl_find_object((void *)(uintptr_t)(pc - 1), &at) != 0)
			break;
		/* Any bounds will do: the files are good. */
		r = locks_unwind_rule(pc, at.dlfo_eh_frame, 0x1000, 1ul << 47);
		out[n++] = (void *)(uintptr_t)pc;
		if (r.base == LOCKS_BASE_NONE)
			break;
		cfa = (r.base == LOCKS_BASE_SP ? sp : bp) + (uint64_t)(int64_t)r.offset;
		if (r.bp != 0)
			bp = *(uint64_t *)(uintptr_t)(cfa + (uint64_t)(8 * (int64_t)r.bp));
		pc = *(uint64_t *)(uintptr_t)(cfa - 8);
		sp = cfa;
	}
	return n;
}

__attribute__((noinline)) static void compare(void)
{
	uint64_t *bp = __builtin_frame_address(0);
	void *ours[MOST], *theirs[MOST];
	int n = by_rules(bp[1], (uintptr_t)(bp + 2), bp[0], ours);
	int m = backtrace(theirs, MOST) - 1; /* the first is in here */

	compared++;
	if (n != m || memcmp(ours, theirs + 1, (size_t)n * sizeof(*ours)) != 0) {
		if (differ++ == 0)
			for (int i = 0; i < n || i < m; i++)
				printf("# %p %p\n", i < n ? ours[i] : NULL,
				       i < m ? theirs[i + 1] : NULL);
	}
}

/* ---- places ---- */

static int in_sort(const void *a, const void *b)
{
	compare();
	return *(const int *)a - *(const int *)b;
}

static void in_walk(const void *node, VISIT which, int depth)
{
	(void)node, (void)which, (void)depth;
	compare();
}

static void in_once(void)
{
	compare();
}

/* Frames of all sizes: some are left by rsp, some by rbp, some are aligned. */
static int recurse(int n)
{
	char *room = __builtin_alloca((size_t)(n * 7 % 50) + 1);
	int r = 1;

	room[0] = (char)n;
	compare();
	if (n > 0)
		r += recurse(n - 1);
	compare();
	return r + room[0];
}

__attribute__((noinline)) static int fixed(int n, long a, long b, long c)
{
	volatile long keep[8] = { a, b, c, a * b, b * c, a * c, a + b, b + c };

	compare();
	if (n > 0)
		fixed(n - 1, keep[1], keep[2], keep[0] + 1);
	compare();
	return (int)keep[n % 8];
}

static void everywhere(void)
{
	pthread_once_t once = PTHREAD_ONCE_INIT;
	int numbers[50];
	void *tree = NULL;

	for (int i = 0; i < 50; i++)
		numbers[i] = i * 37 % 50;
	compare();
	recurse(40);
	fixed(40, 1, 2, 3);
	qsort(numbers, 50, sizeof(*numbers), in_sort);
	bsearch(&numbers[20], numbers, 50, sizeof(*numbers), in_sort);
	for (int i = 0; i < 20; i++)
		tsearch(&numbers[i], &tree, in_sort);
	twalk(tree, in_walk);
	pthread_once(&once, in_once);
	while (tree != NULL)
		tdelete(*(void **)tree, &tree, in_sort);
}

static void *in_thread(void *arg)
{
	everywhere();
	return arg;
}

int main(void)
{
	pthread_t t;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	TAP_OK(true, "not here: a sanitizer has a backtrace of its own # SKIP");
	return tap_done();
#endif
	everywhere();
	TAP_EQ(differ, 0, "%u stacks of the first thread", compared);
	pthread_create(&t, NULL, in_thread, NULL);
	pthread_join(t, NULL);
	TAP_EQ(differ, 0, "%u stacks, of another one too", compared);
	return tap_done();
}
