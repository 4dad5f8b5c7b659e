// fine
/* Both hold the lock, so that nothing is sent over a connection that was dropped. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

static int is_open = 1; /* guarded by m */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *sender(void *arg)
{
	FORESEE_EVENT("connect");
	pthread_mutex_lock(&m);
	if (is_open)
		FORESEE_EVENT1("send", 100);
	pthread_mutex_unlock(&m);
	order_at(0);
	return arg;
}

static void *watchdog(void *arg)
{
	order_at(1);
	pthread_mutex_lock(&m);
	is_open = 0;
	FORESEE_EVENT("drop");
	pthread_mutex_unlock(&m);
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
