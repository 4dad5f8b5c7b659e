#include "capture/cell.h"

#include <sched.h>

#include "capture/log.h"

#define SPINS 200 /* before it gives way */

unsigned cell_patience = 2000000;

cell_version cell_wait(uint64_t *cell)
{
	cell_version v;

	for (unsigned y = 0; y < cell_patience; y++) {
		for (int i = 0; i < SPINS; i++) {
			v = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
			if (!(v & CELL_LOCKED))
				return v;
			__builtin_ia32_pause();
		}
		sched_yield();
	}
	/* Recording stops before anybody can see what the dead holder has left behind.  Its version
	 * stays in the cell; the caller's record is lost, as its next log_ready finds out. */
	log_trouble("a thread has vanished in the middle of a write", 0);
	v = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
	if (v & CELL_LOCKED)
		__atomic_compare_exchange_n(cell, &v, v & ~CELL_LOCKED, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	return v & ~CELL_LOCKED;
}
