/* Reads the sequence before the data, and not after it. */
#include "two.h"

static int seq;
static int data;
static int got, at;

static void one(void)
{
	BEGIN("read");
	at = __atomic_load_n(&seq, __ATOMIC_ACQUIRE);	// split read
	got = __atomic_load_n(&data, __ATOMIC_ACQUIRE); // split read
	END();
}

static void two(void)
{
	__atomic_store_n(&seq, 1, __ATOMIC_RELEASE);  // split read
	__atomic_store_n(&data, 5, __ATOMIC_RELEASE); // split read
}
