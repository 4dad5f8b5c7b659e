/* A thread asks for a lock that it holds itself, two functions further down. */
// hangs
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;

static int sum(void)
{
	int n;

	pthread_mutex_lock(&m); // deadlock own
	n = total;
	pthread_mutex_unlock(&m);
	return n;
}

static void *add(void *arg)
{
	pthread_mutex_lock(&m);
	total = sum() + 1;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	pthread_join(t, NULL);
	return 0;
}
