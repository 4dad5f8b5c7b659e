/*
 * A lock that another thread releases than its holder, and a robust one whose holder dies.  Whoever has them
 * later is not together with the holder: nothing is predicted, and the checker is not asked to believe it.
 */
#include <errno.h>
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t handed = PTHREAD_MUTEX_INITIALIZER, robust;
static int x, y;

static void *holder(void *arg)
{
	pthread_mutex_lock(&handed);
	x = 1;
	pthread_mutex_lock(&robust);
	y = 1;
	order_at(0);
	return arg;
}

static void *other(void *arg)
{
	order_at(1);
	pthread_mutex_unlock(&handed);
	pthread_mutex_lock(&handed);
	pthread_mutex_unlock(&handed);
	order_at(2);
	return arg;
}

static void *heir(void *arg)
{
	order_at(3);
	if (pthread_mutex_lock(&robust) == EOWNERDEAD)
		pthread_mutex_consistent(&robust);
	pthread_mutex_unlock(&robust);
	order_at(4);
	return arg;
}

static void *late(void *arg)
{
	order_at(5);
	pthread_mutex_lock(&handed);
	x++;
	pthread_mutex_unlock(&handed);
	pthread_mutex_lock(&robust);
	y++;
	pthread_mutex_unlock(&robust);
	return arg;
}

int main(void)
{
	void *(*const all[])(void *) = { holder, other, heir, late };
	pthread_mutexattr_t attr;
	pthread_t t[4];

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
