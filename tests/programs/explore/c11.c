/* The threads of C11: a worker is told to stop by a flag that is not under the lock, and sleeps. */
#include <threads.h>

#include "explore.h"

static mtx_t lock;
static cnd_t wake;
static atomic_bool stop;

static int worker(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	while (!stop)
		cnd_wait(&wake, &lock);
	mtx_unlock(&lock);
	return 3;
}

int main(void)
{
	thrd_t t;
	int result = 0;

	mtx_init(&lock, mtx_plain);
	cnd_init(&wake);
	thrd_create(&t, worker, NULL);
	if (fixed)
		mtx_lock(&lock);
	stop = true;
	cnd_signal(&wake);
	if (fixed)
		mtx_unlock(&lock);
	thrd_join(t, &result);
	return result != 3;
}
