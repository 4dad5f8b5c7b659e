/* Memory of the guard: blocks of powers of two, from the kernel, kept for good; locks; cells by address. */
#include "capture/guard_priv.h"

#define SMALLEST 6u /* 64 bytes */
#define LARGEST 26u
#define BATCH (256u << 10) /* bytes mapped at once */

struct chunk {
	struct chunk *next;
};

static struct {
	uint32_t lock;
	struct chunk *free[LARGEST + 1]; /* guarded by lock */
	char *at, *end;			 /* what is mapped and was never used */
	uint64_t bytes;			 /* atomic: mapped so far */
} all;

/* Held for a few instructions, or a copy of a vector. */
void guard_spin(uint32_t *lock)
{
	for (unsigned i = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0; i++) {
		while (__atomic_load_n(lock, __ATOMIC_RELAXED) != 0) {
			__builtin_ia32_pause();
			if (++i % 64 == 0)
				syscall(SYS_sched_yield);
		}
	}
}

void guard_unspin(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static unsigned class_of(size_t n)
{
	unsigned log2 = SMALLEST;

	while (log2 <= LARGEST && (size_t)1 << log2 < n)
		log2++;
	return log2;
}

/* lock held. */
static void *fresh(size_t n)
{
	size_t map = n > BATCH ? n : BATCH;
	void *p;

	if ((size_t)(all.end - all.at) < n) {
		all.at = sys_pages(map);
		all.end = all.at != NULL ? all.at + map : NULL;
		all.bytes += all.at != NULL ? map : 0;
	}
	p = all.at;
	all.at += p != NULL ? n : 0;
	return p;
}

void *guard_alloc(size_t n)
{
	unsigned log2 = class_of(n);
	struct chunk *c;

	if (log2 > LARGEST)
		return NULL;
	guard_spin(&all.lock);
	c = all.free[log2];
	if (c != NULL)
		all.free[log2] = c->next;
	else
		c = fresh((size_t)1 << log2);
	guard_unspin(&all.lock);
	return c != NULL ? memset(c, 0, n) : NULL;
}

void guard_free(void *p, size_t n)
{
	struct chunk *c = p;
	unsigned log2 = class_of(n);

	guard_spin(&all.lock);
	c->next = all.free[log2];
	all.free[log2] = c;
	guard_unspin(&all.lock);
}

uint64_t guard_memory(void)
{
	return all.bytes;
}

/* ---- cells ---- */

struct guard_cell guard_cells[GUARD_CELLS];
static uint32_t cells_lock;

/* cells_lock held. */
static struct guard_cell *cell_new(const void *addr, uint32_t kind, uint32_t number)
{
	struct guard_cell *first = guard_cell_first(addr, kind, number), *c = first;

	if (first->what != 0)
		c = guard_alloc(sizeof(*c));
	if (c == NULL)
		return NULL;
	c->addr = (uintptr_t)addr;
	__atomic_store_n(&c->what, GUARD_WHAT(kind, number), __ATOMIC_RELEASE);
	if (c != first) {
		c->next = first->next;
		__atomic_store_n(&first->next, c, __ATOMIC_RELEASE);
	}
	return c;
}

struct guard_cell *guard_cell_lock(const void *addr, uint32_t kind, uint32_t number)
{
	struct guard_cell *c = guard_cell_find(addr, kind, number);

	if (c == NULL) {
		guard_spin(&cells_lock);
		c = guard_cell_find(addr, kind, number);
		if (c == NULL)
			c = cell_new(addr, kind, number);
		guard_unspin(&cells_lock);
	}
	if (c == NULL)
		guard_quit("there is no memory left");
	else
		guard_spin(&c->lock);
	return c;
}
