/* Scenario 17: one after the other. */
// races: none
#include <pthread.h>

int x;

static void *first(void *arg)
{
	x++;
	return arg;
}

static void *second(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(u, NULL);
	return 0;
}
