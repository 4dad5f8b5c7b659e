/*
 * A driver is stopped while requests are under way: a request looks whether it stops, and counts
 * itself afterwards.
 */
#include "explore.h"

static atomic_bool stopping, stopped;
static atomic_int pending = 1;
static sem_t idle;

static void leave(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		sem_post(&idle);
}

static bool enter(void)
{
	if (!fixed && stopping)
		return false;
	atomic_fetch_add(&pending, 1);
	if (fixed && stopping) {
		leave();
		return false;
	}
	return true;
}

static void *request(void *arg)
{
	if (enter()) {
		assert(!stopped);
		leave();
	}
	return arg;
}

static void *stopper(void *arg)
{
	stopping = true;
	leave();
	sem_wait(&idle);
	stopped = true;
	return arg;
}

int main(void)
{
	sem_init(&idle, 0, 0);
	RUN(request, stopper);
	return 0;
}
