/* The same by pthread_once. */
#include "two.h"

static pthread_once_t made = PTHREAD_ONCE_INIT;
static int *instance, object;

static void make(void)
{
	BEGIN("make");
	instance = &object;
	END();
}

static void one(void)
{
	pthread_once(&made, make);
}

static void two(void)
{
	pthread_once(&made, make);
}
