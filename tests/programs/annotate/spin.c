#include "spin.h"

#include <sched.h>
#include <stddef.h>

static void *boxes[2];

static int change(struct spin *s, int from, int to)
{
	return __atomic_compare_exchange_n(&s->taken, &from, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

int spin_try(struct spin *s)
{
	return change(s, 0, -1);
}

void spin_take(struct spin *s)
{
	while (!spin_try(s))
		sched_yield();
}

void spin_give(struct spin *s)
{
	__atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
}

void spin_share(struct spin *s)
{
	int n;

	do {
		sched_yield();
		n = __atomic_load_n(&s->taken, __ATOMIC_RELAXED);
	} while (n < 0 || !change(s, n, n + 1));
}

void spin_unshare(struct spin *s)
{
	__atomic_fetch_sub(&s->taken, 1, __ATOMIC_RELEASE);
}

void box_put(int box, void *letter)
{
	__atomic_store_n(&boxes[box], letter, __ATOMIC_RELEASE);
}

void *box_get(int box)
{
	void *letter;

	while ((letter = __atomic_exchange_n(&boxes[box], NULL, __ATOMIC_ACQUIRE)) == NULL)
		sched_yield();
	return letter;
}
