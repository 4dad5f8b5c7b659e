/* A pool that is freed when its counter says that the worker has gone, which still has to unlock: t9032. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static struct pool {
	int alive;
	pthread_mutex_t lock;
} * pool;

static void *work(void *unused)
{
	pthread_mutex_lock(&pool->lock);
	pool->alive--;
	pthread_mutex_unlock(&pool->lock);
	return unused;
}

int main(void)
{
	pthread_t t;

	pool = calloc(1, sizeof(*pool));
	pthread_mutex_init(&pool->lock, NULL);
	pool->alive = 1;
	pthread_create(&t, NULL, work, NULL);
	pthread_detach(t);
	while (pool->alive)
		sched_yield();
	free(pool);
	return 0;
}
