/* Hangs: the signal came before the wait.  The first thread has ended. */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
	order_see(1);
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m); // last T2: wait c
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waiter, NULL);
	pthread_cond_signal(&c);
	order_at(0);
	pthread_exit(NULL); // last T1: threadend
}
