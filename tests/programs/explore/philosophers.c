/* Everybody takes the left fork first; one of them must not. */
#include "explore.h"

#define N 3

static pthread_mutex_t forks[N] = { MUTEX, MUTEX, MUTEX };

static void *dines(void *arg)
{
	int left = NUMBER(arg), right = (left + 1) % N;
	int first = fixed && right < left ? right : left, second = left + right - first;

	LOCK(forks[first]);
	LOCK(forks[second]);
	UNLOCK(forks[second]);
	UNLOCK(forks[first]);
	return arg;
}

int main(void)
{
	RUN(dines, dines, dines);
	return 0;
}
