// record: --full (the second load repeats the first)
/* Loads a published pointer twice, and takes it for the same. */
#include "two.h"

static int old_config, new_config, *config = &old_config;
static int a;

static void one(void)
{
	BEGIN("use");
	if (__atomic_load_n(&config, __ATOMIC_ACQUIRE))		 // split use
		a = *__atomic_load_n(&config, __ATOMIC_ACQUIRE); // split use
	END();
}

static void two(void)
{
	__atomic_store_n(&config, &new_config, __ATOMIC_RELEASE); // split use
}
