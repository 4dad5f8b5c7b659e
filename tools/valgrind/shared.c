/*
 * Memory that changes where nobody is seen to store: mappings for all to see (MAP_SHARED), and segments.
 * The same bytes may lie at another address too, and other processes may have them.
 *
 *	T1				T2
 *	x = 1
 *	*here = 1			*there		the same word, so x = 1 is before what comes now
 *
 * What such a load has seen nobody can tell.  So a store there is like a call that may let others go on, a
 * load like one that may have waited for them (channel.c): which is more than it must be, but all that can
 * be said.  Locks and the like in such memory are both.
 *
 * Threads: Valgrind's one.
 */
#include "channel.h"

#include "pub_tool_libcbase.h"

static struct range {
	Addr a;
	SizeT n; /* 0: none */
} * ranges;
static UInt nranges, room;

static void range_add(Addr a, SizeT n)
{
	for (UInt i = 0; i < nranges; i++)
		if (ranges[i].n == 0) {
			ranges[i] = (struct range){ a, n };
			return;
		}
	if (nranges == room) {
		room = room ? 2 * room : 16;
		ranges = VG_(realloc)("foresee.shared", ranges, room * sizeof(*ranges));
	}
	ranges[nranges++] = (struct range){ a, n };
}

uint16_t shared_pages(Addr key)
{
	Addr low = key << SHADOW_BITS;
	uint16_t bits = 0;

	for (UInt i = 0; i < nranges; i++)
		for (unsigned page = 0; page < SHADOW_PAGES; page++)
			if (low + ((Addr)page << 12) - ranges[i].a < ranges[i].n)
				bits |= (uint16_t)(1u << page);
	return bits;
}

void shared_add(Addr a, SizeT n)
{
	n = (n + 4095) & ~(SizeT)4095;
	range_add(a, n);
	shadow_shared(a, n);
}

/* What is left of a range that loses its middle is two. */
void shared_remove(Addr a, SizeT n)
{
	UInt before = nranges;

	for (UInt i = 0; i < before; i++) {
		struct range old = ranges[i];
		Addr end = old.a + old.n;

		if (a >= end || old.a >= a + n)
			continue;
		ranges[i].n = old.a < a ? a - old.a : 0;
		if (end > a + n)
			range_add(a + n, end - (a + n));
	}
	if (before != 0)
		shadow_shared(a, n);
}

Bool shared_has(Addr a)
{
	for (UInt i = 0; i < nranges; i++)
		if (a - ranges[i].a < ranges[i].n)
			return True;
	return False;
}

void shared_tell(void)
{
	for (UInt i = 0; i < nranges; i++)
		if (ranges[i].n != 0)
			heap_tell_shared(ranges[i].a, ranges[i].n);
}

void shared_touch(struct thread *t, Bool store, Bool load)
{
	if (!recording || !accesses_on || !t->begun || t->ended)
		return;
	if (store)
		channel_give(t, CHANNEL_ANY);
	if (load)
		channel_take(t, CHANNEL_ANY);
}
