/*
 * Heap memory that the run has freed, and nobody has been given again.
 *
 * Who touches it, or frees it once more, is at fault, for certain: blocks are taken out as soon as the
 * allocator gives any byte of them away, to whomever.  So are those under a stack that begins, or a
 * mapping.  Blocks that the allocator may have given back to the kernel are not kept, for the kernel
 * gives their addresses to anybody, unseen; to touch those is mostly a signal anyway.
 *
 * Of blocks there are at most FREED_MOST, the oldest are forgotten.
 *
 * One thread runs at a time; only threads of unseen code could come here besides, hence the lock.
 */
#include "capture/baton.h"
#include "capture/sys.h"

#define FREED_MOST 1024u
#define FREED_SMALL (64u << 10) /* bytes: larger ones may go back to the kernel */

static struct freed {
	uint64_t from, to;
	uint64_t age;
	uint32_t site, thread;
} freed[FREED_MOST]; /* ascending, and none overlaps another */
static uint32_t nfreed;
static uint64_t ages;
static struct sys_lock lock; /* guards all of these */

/* The first that ends beyond this address. */
static uint32_t find(uint64_t at)
{
	uint32_t low = 0, high = nfreed;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (freed[middle].to <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_out(uint32_t first, uint32_t past)
{
	memmove(&freed[first], &freed[past], (nfreed - past) * sizeof(freed[0]));
	nfreed -= past - first;
}

static void forget_oldest(void)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < nfreed; i++)
		if (freed[i].age < freed[oldest].age)
			oldest = i;
	take_out(oldest, oldest + 1);
}

void baton_freed_begin(void)
{
	nfreed = 0;
}

void baton_freed_born(uintptr_t p, size_t n)
{
	SYS_HOLD(&lock);
	uint32_t first = find(p), past = first;

	while (past < nfreed && freed[past].from < p + n)
		past++;
	if (past > first)
		take_out(first, past);
}

void baton_freed_add(const struct control *c, uintptr_t p, size_t n, uint32_t site)
{
	uint32_t i;

	if (n == 0 || n > FREED_SMALL)
		return;
	baton_freed_born(p, n);
	SYS_HOLD(&lock);
	if (nfreed == FREED_MOST)
		forget_oldest();
	i = find(p);
	memmove(&freed[i + 1], &freed[i], (nfreed - i) * sizeof(freed[0]));
	nfreed++;
	freed[i] = (struct freed){ p, p + n, ages++, site, c->index };
}

static bool look_up(uintptr_t p, size_t n, struct freed *out)
{
	SYS_HOLD(&lock);
	uint32_t i = find(p);

	if (i == nfreed || freed[i].from >= p + n)
		return false;
	*out = freed[i];
	return true;
}

void baton_freed_look(const struct control *c, uintptr_t p, size_t n, uint32_t site,
		      enum baton_fault_kind kind)
{
	struct freed f;

	if (nfreed == 0 || !look_up(p, n, &f))
		return;
	baton_accuse(&(struct baton_fault){ .kind = kind,
					    .at = p,
					    .size = (uint32_t)n,
					    .site = site,
					    .thread = c->index,
					    .block = f.from,
					    .block_size = f.to - f.from,
					    .freed_site = f.site,
					    .freed_thread = f.thread });
}
