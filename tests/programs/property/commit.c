/* Commits belong between the lock and the unlock of the log; the second thread forgets it, and is
 * recorded while the first one has it. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void *careful(void *arg)
{
	pthread_mutex_lock(&log_lock);
	FORESEE_EVENT1("commit", 1);
	order_at(0);
	order_at(2);
	pthread_mutex_unlock(&log_lock);
	return arg;
}

static void *careless(void *arg)
{
	order_at(1);
	FORESEE_EVENT1("commit", 2); // property locked
	order_at(3);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, careful, NULL);
	pthread_create(&u, NULL, careless, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
