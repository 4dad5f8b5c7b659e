/* A transfer in two steps; the audit between them, in another run, finds money missing. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

struct bank {
	volatile long checking, savings; /* no two at once */
};

struct bank bank = { 70, 30 };

static void *transfer(void *arg)
{
	bank.checking -= 25;
	bank.savings += 25;
	order_at(0);
	return arg;
}

static void *auditor(void *arg)
{
	order_at(1);
	FORESEE_EVENT("audit"); // property balanced
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, transfer, NULL);
	pthread_create(&u, NULL, auditor, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
