#include "capture/tag.h"

#define BLOCK_SHIFT 40
#define BLOCKS 128 /* 47 bits of user addresses */
#define PAGE 4096u

static struct sys_lock covering; /* taken to add to: */
static uint8_t covered[BLOCKS];	 /* set once, never cleared; read without the lock */

static uintptr_t shadow_of(unsigned b)
{
	return (((uintptr_t)b << BLOCK_SHIFT) ^ TAG_FLIP) + TAG_SKEW;
}

/* covering held. */
static bool block_add(unsigned b)
{
	uintptr_t shadow = shadow_of(b);
	size_t size = (size_t)1 << BLOCK_SHIFT;
	void *at;

	if (covered[b])
		return true; /* another thread was faster */
	if (covered[b ^ (TAG_FLIP >> BLOCK_SHIFT)])
		return false; /* our tags would lie on top of the program's memory */
	at = sys_mmap((void *)shadow, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (at != (void *)shadow) {
		if (at != MAP_FAILED) /* an old kernel takes the address for a wish */
			sys_munmap(at, size);
		return false;
	}
	madvise(at, size, MADV_NOHUGEPAGE);
	madvise(at, size, MADV_DONTDUMP);
	madvise(at, size, MADV_DONTFORK);
	__atomic_store_n(&covered[b], 1, __ATOMIC_RELEASE);
	return true;
}

static bool cover_block(unsigned b)
{
	if (b >= BLOCKS)
		return false;
	if (__atomic_load_n(&covered[b], __ATOMIC_ACQUIRE))
		return true;
	SYS_HOLD(&covering);
	return block_add(b);
}

void tag_share(int advice)
{
	for (unsigned b = 0; b < BLOCKS; b++)
		if (covered[b])
			madvise((void *)shadow_of(b), (size_t)1 << BLOCK_SHIFT, advice);
}

bool tag_cover(const void *p, size_t n)
{
	uintptr_t first = (uintptr_t)p >> BLOCK_SHIFT;
	uintptr_t last = ((uintptr_t)p + (n ? n - 1 : 0)) >> BLOCK_SHIFT;

	for (uintptr_t b = first; b <= last; b++)
		if (!cover_block((unsigned)b))
			return false;
	return true;
}

void tag_reset(const void *p, size_t n)
{
	uintptr_t from = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t to = ((uintptr_t)p + n) & ~(uintptr_t)(PAGE - 1);

	if (fiber_on) /* no stack is used twice */
		return;
	if (from < to && madvise(tag_of((void *)from), to - from, MADV_DONTNEED) != 0)
		memset(tag_of((void *)from), 0, to - from); /* locked in memory, by mlockall */
}
