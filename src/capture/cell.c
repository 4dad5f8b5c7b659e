#include "capture/cell.h"

#include <sched.h>

/* A spinner yields from time to time and gives up after about this many yields. */
#define SPINS 200
#define YIELDS 2000000

cell_version cell_wait(uint64_t *cell)
{
	cell_version v;

	for (int y = 0; y < YIELDS; y++) {
		for (int i = 0; i < SPINS; i++) {
			v = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
			if (!(v & CELL_LOCKED))
				return v;
			__builtin_ia32_pause();
		}
		sched_yield();
	}
	/* Break the dead holder's lock: its version stands. */
	v = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
	if (v & CELL_LOCKED)
		__atomic_compare_exchange_n(cell, &v, v & ~CELL_LOCKED, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	return v & ~CELL_LOCKED;
}
