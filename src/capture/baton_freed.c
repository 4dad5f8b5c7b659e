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
 * Locks, conditions and semaphores are no accesses, and their order with the free would make no difference to
 * a search.  So behind the free there is a step for each that lies in the block and was used before: who uses it
 * behind that step, does so behind the free.
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

/* Objects that were used in this run, and where they are found: of no more than a page, which each run touches. */
#define USED_MOST 256u
#define USED_SLOTS (2 * USED_MOST)
static struct {
	uint32_t n;
	uint16_t slots[USED_SLOTS]; /* 0: nothing; else the index, + 1 */
	uint64_t at[USED_MOST];
} used __attribute__((aligned(4096)));

static uint32_t slot_of(uint64_t object)
{
	uint32_t i = (uint32_t)(object * 0x9e3779b97f4a7c15u >> 40) % USED_SLOTS;

	while (used.slots[i] != 0 && used.at[used.slots[i] - 1] != object)
		i = (i + 1) % USED_SLOTS;
	return i;
}

static void use(uint64_t object)
{
	uint32_t i = slot_of(object);

	if (used.slots[i] != 0 || used.n == USED_MOST)
		return;
	used.at[used.n++] = object;
	used.slots[i] = (uint16_t)used.n;
}

/* All but those in that memory. */
static void forget_used(uintptr_t p, size_t n)
{
	uint32_t all = used.n;

	memset(used.slots, 0, sizeof(used.slots));
	used.n = 0;
	for (uint32_t i = 0; i < all; i++)
		if (used.at[i] - p >= n)
			use(used.at[i]);
}

void baton_freed_begin(void)
{
	if (nfreed > 0) /* else each child would get a copy of the page for nothing */
		nfreed = 0;
	if (used.n > 0)
		forget_used(0, SIZE_MAX);
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

void baton_freed_steps(const struct control *c, uintptr_t p, size_t n, uint32_t site)
{
	bool some = false;

	for (uint32_t i = 0; i < used.n; i++) {
		if (used.at[i] - p >= n)
			continue;
		some = true;
		baton_announce(c, &(struct baton_op){ .object = used.at[i],
						      .site = site,
						      .kind = BATON_OBJECT,
						      .branches = 1 });
	}
	if (some)
		forget_used(p, n);
}

/* Not where a wait ends: whoever was woken has nothing to do with the condition any more, or the barrier. */
static bool needs_object(enum baton_kind kind)
{
	switch (kind) {
	case BATON_LOCK:
	case BATON_TRY_LOCK:
	case BATON_READ_LOCK:
	case BATON_TRY_READ_LOCK:
	case BATON_UNLOCK:
	case BATON_READ_UNLOCK:
	case BATON_WAIT:
	case BATON_SIGNAL:
	case BATON_BROADCAST:
	case BATON_SEM_WAIT:
	case BATON_SEM_TRY:
	case BATON_SEM_POST:
	case BATON_OBJECT:
		return true;
	default:
		return false;
	}
}

void baton_freed_use(const struct control *c, const struct baton_op *op)
{
	if (!needs_object((enum baton_kind)op->kind))
		return;
	baton_freed_look(c, op->object, 0, op->site, BATON_USE_AFTER_FREE);
	use(op->object);
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

	if (nfreed == 0 || !look_up(p, n > 0 ? n : 1, &f))
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
