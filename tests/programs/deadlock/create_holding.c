/* A thread is started under the lock that it takes, but joined without it. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int started; /* guarded by m */

// deadlock none
static void *child(void *arg)
{
	pthread_mutex_lock(&m);
	started++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, child, NULL);
	pthread_create(&u, NULL, child, NULL);
	started++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return started != 3;
}
