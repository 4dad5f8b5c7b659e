/* Memory of the guard: blocks of powers of two, from the kernel, kept for good; locks; cells by address. */
#include "capture/guard_priv.h"

#define SMALLEST 7u /* 128 bytes */
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

#define BUCKETS (1u << 14)

static struct {
	uint32_t lock;
	struct guard_cell *first;
} buckets[BUCKETS];

struct guard_cell *guard_cell_lock(const void *addr, uint32_t kind, uint32_t number)
{
	uintptr_t key = (uintptr_t)addr;
	unsigned i = (unsigned)((key ^ (uintptr_t)kind << 56 ^ (uintptr_t)number << 48) *
					0x9e3779b97f4a7c15u >>
				50) %
		     BUCKETS;
	struct guard_cell *c;

	guard_spin(&buckets[i].lock);
	for (c = buckets[i].first; c != NULL; c = c->next)
		if (c->addr == key && c->kind == kind && c->number == number)
			break;
	if (c == NULL && (c = guard_alloc(sizeof(*c))) != NULL) {
		c->addr = key;
		c->kind = kind;
		c->number = number;
		c->next = buckets[i].first;
		buckets[i].first = c;
	}
	guard_unspin(&buckets[i].lock);
	if (c == NULL)
		guard_quit("there is no memory left");
	else
		guard_spin(&c->lock);
	return c;
}
