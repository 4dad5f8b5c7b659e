#include "capture/tag.h"

#include "capture/log.h"

#define SPINS 200 /* before it gives way */

unsigned tag_patience = 2000000;

tag_version tag_wait(uint64_t *tag)
{
	tag_version v;

	for (unsigned y = 0; y < tag_patience; y++) {
		for (int i = 0; i < SPINS; i++) {
			v = __atomic_load_n(tag, __ATOMIC_ACQUIRE);
			if (!(v & TAG_LOCKED))
				return v;
			__builtin_ia32_pause();
		}
		syscall(SYS_sched_yield);
	}
	/* Recording stops before anybody can see what the dead holder has left behind.  Its version
	 * stays in the tag; the caller's record is lost, as its next log_ready finds out. */
	log_trouble("a thread has vanished in the middle of a write", 0);
	v = __atomic_load_n(tag, __ATOMIC_ACQUIRE);
	if (v & TAG_LOCKED)
		__atomic_compare_exchange_n(tag, &v, v & ~TAG_LOCKED, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	return v & ~TAG_LOCKED;
}
