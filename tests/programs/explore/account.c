/* Every access is locked, but what is drawn was looked up in a section before. */
#include "explore.h"

static pthread_mutex_t m = MUTEX;
static int balance = 10;

static void draw(int amount)
{
	int seen;

	LOCK(m);
	seen = balance;
	if (fixed && seen >= amount)
		balance -= amount;
	UNLOCK(m);
	if (fixed || seen < amount)
		return;
	LOCK(m);
	balance -= amount;
	UNLOCK(m);
}

static void *customer(void *arg)
{
	draw(6);
	return arg;
}

int main(void)
{
	RUN(customer, customer);
	assert(balance >= 0);
	return 0;
}
