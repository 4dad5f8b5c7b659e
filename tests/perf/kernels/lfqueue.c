/*
 * A lock-free bounded queue on C11 atomics, several threads at both ends.
 *
 * Every cell carries a turn number: 2 * lap when it is free to be filled in
 * that lap, 2 * lap + 1 when it holds an item of that lap.  A thread claims a
 * position by moving head or tail, which works only while the turn fits.
 */
#include "kernel.h"

#include <sched.h>
#include <stdatomic.h>

#define CELLS 256

struct cell {
	_Atomic uint64_t turn; /* release when handing over, acquire when looking */
	uint64_t item;	       /* owned by whoever claimed the position */
};

static struct kernel kernel;
static struct cell cells[CELLS];
static _Alignas(64) _Atomic uint64_t head;
static _Alignas(64) _Atomic uint64_t tail;
static _Alignas(64) _Atomic uint64_t total;
static _Atomic long taken;

/* Claim the next position of `end' whose cell has the wanted turn (0 free, 1 full). */
static int claim(_Atomic uint64_t *end, uint64_t full, uint64_t *position)
{
	uint64_t at = atomic_load_explicit(end, memory_order_relaxed);

	for (;;) {
		uint64_t turn = atomic_load_explicit(&cells[at % CELLS].turn, memory_order_acquire);
		uint64_t wanted = at / CELLS * 2 + full;

		if (turn < wanted)
			return 0;
		if (turn > wanted) {
			at = atomic_load_explicit(end, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(
				   end, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
			*position = at;
			return 1;
		}
	}
}

static int put(uint64_t item)
{
	uint64_t at;

	if (!claim(&tail, 0, &at))
		return 0;
	cells[at % CELLS].item = item;
	atomic_store_explicit(&cells[at % CELLS].turn, at / CELLS * 2 + 1, memory_order_release);
	return 1;
}

static int take(uint64_t *item)
{
	uint64_t at;

	if (!claim(&head, 1, &at))
		return 0;
	*item = cells[at % CELLS].item;
	atomic_store_explicit(&cells[at % CELLS].turn, at / CELLS * 2 + 2, memory_order_release);
	return 1;
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg, pairs = (kernel.threads + 1) / 2;
	uint64_t sum = 0, item;

	if (me < pairs) {
		for (long i = me; i < kernel.scale; i += pairs)
			while (!put((uint64_t)i * 2654435761u))
				sched_yield();
		return NULL;
	}
	while (atomic_load(&taken) < kernel.scale) {
		if (take(&item)) {
			sum += item ^ (item >> 9);
			atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
		} else {
			sched_yield();
		}
	}
	atomic_fetch_add(&total, sum);
	return NULL;
}

int main(int argc, char **argv)
{
	kernel = kernel_args(argc, argv, 2000000);
	if (kernel.threads < 2)
		kernel.threads = 2;
	kernel_team(kernel.threads, work);
	printf("lfqueue %ld: sum %llu\n", kernel.scale, (unsigned long long)atomic_load(&total));
	return 0;
}
