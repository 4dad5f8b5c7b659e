/* Loads it once. */
#include "two.h"

static int old_config, new_config, *config = &old_config;
static int a;

static void one(void)
{
	const int *now;

	BEGIN("use");
	now = __atomic_load_n(&config, __ATOMIC_ACQUIRE);
	if (now)
		a = *now;
	END();
}

static void two(void)
{
	__atomic_store_n(&config, &new_config, __ATOMIC_RELEASE);
}
