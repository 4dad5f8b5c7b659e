// fine
/* Transfer and audit take the same lock. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

struct bank {
	volatile long checking, savings; /* no two at once */
};

struct bank bank = { 70, 30 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *transfer(void *arg)
{
	pthread_mutex_lock(&m);
	bank.checking -= 25;
	bank.savings += 25;
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *auditor(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	FORESEE_EVENT("audit");
	pthread_mutex_unlock(&m);
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
