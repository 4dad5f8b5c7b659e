#include "capture/thread.h"

static const char *broken; /* atomic: set once */

const char *assert_broken(void)
{
	return __atomic_load_n(&broken, __ATOMIC_ACQUIRE);
}

void assert_failed(const char *what)
{
	struct thread *t = thread_self();
	const char *none = NULL;

	__atomic_compare_exchange_n(&broken, &none, what, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	if (!thread_is_nobody(t))
		t->limit = NULL; /* its next record comes by log_catch_up */
}
