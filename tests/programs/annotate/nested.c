/* Levels of a lock that nests, given up at once and taken again, as a wait does. */
#include <sanitizer/tsan_interface.h>
#include <stdio.h>

static int monitor, other, still;

int main(void)
{
	unsigned nests = __tsan_mutex_write_reentrant;
	int levels;

	__tsan_mutex_create(&monitor, nests);
	for (int i = 0; i < 3; i++) {
		__tsan_mutex_pre_lock(&monitor, nests);
		__tsan_mutex_post_lock(&monitor, nests, 0);
	}
	levels = __tsan_mutex_pre_unlock(&monitor, __tsan_mutex_recursive_unlock);
	__tsan_mutex_post_unlock(&monitor, 0);
	__tsan_mutex_pre_lock(&monitor, nests);
	__tsan_mutex_post_lock(&monitor, __tsan_mutex_recursive_lock, levels);
	for (int i = 0; i < 3; i++) {
		__tsan_mutex_pre_unlock(&monitor, 0);
		__tsan_mutex_post_unlock(&monitor, 0);
	}
	__tsan_mutex_destroy(&monitor, 0);
	__tsan_mutex_pre_lock(&other, __tsan_mutex_try_lock);
	__tsan_mutex_post_lock(&other, __tsan_mutex_try_lock, 0);
	__tsan_mutex_pre_signal(&other, 0);
	__tsan_mutex_pre_divert(&other, 0);
	__tsan_mutex_post_divert(&other, 0);
	__tsan_mutex_post_signal(&other, 0);
	__tsan_mutex_pre_unlock(&other, 0);
	__tsan_mutex_post_unlock(&other, 0);
	__tsan_mutex_create(&still, __tsan_mutex_linker_init);
	__tsan_mutex_destroy(&still, __tsan_mutex_linker_init);
	__tsan_mutex_destroy(&still, __tsan_mutex_not_static);
	printf("%d\n", levels);
	return 0;
}

// see T1: threadbegin; lockinit monitor; lock monitor; lock monitor; lock monitor
// see T1: unlock monitor; unlock monitor; unlock monitor; lock monitor; lock monitor; lock monitor
// see T1: unlock monitor; unlock monitor; unlock monitor; lockdestroy monitor
// see T1: lock other try; unlock other; threadend
