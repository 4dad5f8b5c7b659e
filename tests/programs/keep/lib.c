/* A library that is not recorded: it makes a thread, in which it calls back. */
#include <pthread.h>
#include <stddef.h>

static void (*call)(void);

static void *begin(void *arg)
{
	call();
	return arg;
}

int lib_start(pthread_t *t, void (*f)(void))
{
	call = f;
	return pthread_create(t, NULL, begin, NULL);
}
