/* The parent gives the lock back before it joins the child that takes it. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static int results; /* guarded by m */

// deadlock none
static void *child(void *arg)
{
	pthread_mutex_lock(&m);
	results++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	pthread_mutex_lock(&own);
	pthread_mutex_lock(&m);
	results++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL); /* with a lock held that the child does not know */
	pthread_mutex_unlock(&own);
	return results != 2;
}
