/* Atomic accesses: a read-modify-write feeds itself. */
#include <stdatomic.h>
#include <stdbool.h>

atomic_int c, e;
_Atomic long l;
_Atomic(int *) ap;
_Atomic float af;
atomic_bool flag;
int x, y;
unsigned long low, high;
_Atomic __int128 wide;

void add(void)
{
	atomic_fetch_add(&c, 1); /* = atomic c free+fed:self */
}

void add_loaded(void)
{
	atomic_fetch_add(&c, x); /* = read x free; atomic c free+fed:0,self */
}

void add_stored(void)
{
	y = atomic_fetch_add(&c, 1); /* = atomic c free+fed:self; write y fed:0 */
}

int add_returned(void)
{
	return atomic_fetch_add(&c, 1); /* = atomic c binding+unfed */
}

void add_tested(void)
{
	if (atomic_fetch_sub(&c, 1) == 1) /* = atomic c binding+unfed */
		x = 1;			  /* = write x unfed */
}

void bitwise(void)
{
	atomic_fetch_or(&c, 4);	  /* = atomic c free+fed:self */
	atomic_fetch_and(&c, ~4); /* = atomic c free+fed:self */
	atomic_fetch_xor(&l, 1);  /* = atomic l free+fed:self */
}

void exchange(void)
{
	atomic_exchange(&c, 1); /* = atomic c free+unfed */
}

void exchange_loaded(void)
{
	y = atomic_exchange(&c, x); /* = read x free; atomic c free+fed:0; write y fed:0 */
}

bool exchange_flag(void)
{
	return atomic_exchange(&flag, true); /* = atomic flag binding+unfed */
}

void cas(void)
{
	int old = x; /* = read x binding */

	atomic_compare_exchange_strong(&c, &old, 5); /* = atomic c binding */
}

void load(void)
{
	x = atomic_load_explicit(&c, memory_order_acquire); /* = atomic c free; write x fed:0 */
}

int load_tested(void)
{
	return atomic_load(&flag) ? 3 : 4; /* = atomic flag binding */
}

void store(void)
{
	atomic_store_explicit(&c, x, memory_order_release); /* = read x free; atomic c fed:0 */
}

void store_constant(void)
{
	c = 3; /* = atomic c unfed */
}

void atomic_copy(void)
{
	c = e; /* = atomic e free; atomic c fed:0 */
}

void pointer(void)
{
	x = *ap; /* = atomic ap binding; read - free; write x fed:0 */
}

void spin(void)
{
	while (!atomic_load(&flag)) /* = atomic flag binding */
		;
	x++; /* = read x free; write x fed:0 */
}

void fences(void)
{
	x = 1;					   /* = write x unfed */
	atomic_thread_fence(memory_order_release); /* = fence - fence */
	atomic_signal_fence(memory_order_release);
	y = 1; /* = write y unfed */
}

void store_wide(void)
{
	unsigned long a = low;	/* = read low binding */
	unsigned long b = high; /* = read high binding */

	wide = (__int128)b << 64 | a; /* = atomic wide unfed */
}

__int128 load_wide(void)
{
	return wide; /* = atomic wide binding */
}

void add_float(void)
{
	af += 1; /* = atomic af binding */
}
