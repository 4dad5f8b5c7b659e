/* The watchdog drops a connection on its own; the sender looks at the flag, and then sends. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

static int is_open = 1;

static void *sender(void *arg)
{
	FORESEE_EVENT("connect");
	if (__atomic_load_n(&is_open, __ATOMIC_SEQ_CST))
		FORESEE_EVENT1("send", 100); // property session
	order_at(0);
	return arg;
}

static void *watchdog(void *arg)
{
	order_at(1);
	__atomic_store_n(&is_open, 0, __ATOMIC_SEQ_CST);
	FORESEE_EVENT("drop");
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, sender, NULL);
	pthread_create(&u, NULL, watchdog, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
