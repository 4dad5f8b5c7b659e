/*
 * Memory that only one thread has used: its stack, and what the C library keeps above it.
 *
 *	low                          floor                 high
 *	| ... not recorded ...       | recorded            |
 *
 * A thread's accesses below its floor are not recorded.  That is sound because nobody else has
 * touched that memory: whoever does so first makes the owner expose it, by an event of the owner
 * (ALLOC of the kind FRAME) that begins the life of those words with the bytes they hold now.  Every
 * access of others comes after that event in every reordering, so what the owner did before it, seen
 * or not, comes before them too.  The owner's later accesses there are recorded.
 *
 * To lose no race, memory is exposed before others can reach it where that can be seen: all that
 * lies above the stack pointer when a thread is made, and from an address on when that address is
 * stored anywhere but in the thread's own memory.
 */
#include "tool.h"

Addr own_low, store_low;
UWord own_span, store_span;

void stack_switch(void)
{
	Bool off = !accesses_on || self == NULL || !self->begun || self->ended;

	store_low = off ? 0 : self->low;
	store_span = off ? ~(UWord)0 : self->floor - self->low;
	off = off || self->hidden != 0;
	own_low = off ? 0 : self->low;
	own_span = off ? ~(UWord)0 : self->floor - self->low;
}

void stack_expose(struct thread *t, Addr a, uint32_t site)
{
	Addr floor = a & ~(Addr)7;

	if (a < t->low || a >= t->floor || t->ended)
		return;
	record_frame(t, site, floor, t->floor - floor);
	t->floor = floor;
	if (t == self)
		stack_switch();
}

static void foreign_of(struct thread *t, Addr a)
{
	if (t != self && !t->ended && a - t->low < t->floor - t->low)
		stack_expose(t, a, 0);
}

void stack_foreign(Addr a, uint32_t site)
{
	uint32_t owner = shadow_of(a)->owner;

	(void)site;
	if (owner != SHADOW_MANY) {
		if (owner != 0)
			foreign_of(thread_get(owner), a);
		return;
	}
	for (uint32_t i = thread_count(); i > 0; i--)
		foreign_of(thread_get(i), a);
}
