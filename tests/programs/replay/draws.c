/* Two threads draw from one row of random numbers; what the second gets depends on who comes first. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, high, low, drawn;

static void *first(void *arg)
{
	x = 1;
	pthread_mutex_lock(&m);
	drawn += rand() % 2;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;
	int mine;
	unsigned seed = 0;

	do /* the first two differ */
		srand(++seed);
	while (rand() % 2 == rand() % 2);
	srand(seed);
	pthread_create(&t, NULL, first, NULL);
	usleep(100000);
	pthread_mutex_lock(&m);
	mine = rand() % 2;
	pthread_mutex_unlock(&m);
	if (mine)
		high = 1;
	else
		low = 1;
	x = 2;
	pthread_join(t, NULL);
	return high + low + drawn > 5;
}
