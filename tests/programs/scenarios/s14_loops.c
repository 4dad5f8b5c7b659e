/* Scenario 14: loops. */
// races: x
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *first(void *arg)
{
	for (int i = 0; i < 200; i++) {
		x++;
	}
	return arg;
}

static void *second(void *arg)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&m);
		x++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
