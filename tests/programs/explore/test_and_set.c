/* A lock made of a flag that is tested, then set. */
#include "explore.h"

static atomic_bool taken;
static volatile int owner;

static bool try_to_take(void)
{
	if (fixed)
		return !atomic_exchange(&taken, true);
	if (atomic_load(&taken))
		return false;
	atomic_store(&taken, true);
	return true;
}

static void *visits(void *arg)
{
	if (try_to_take()) {
		owner = NUMBER(arg);
		assert(owner == NUMBER(arg));
		atomic_store(&taken, false);
	}
	return arg;
}

int main(void)
{
	RUN(visits, visits);
	return 0;
}
