/* A subject tells its listener while it is locked; the listener takes leave of it while locked. */
#include <pthread.h>

#include "../order.h"

static struct subject {
	pthread_mutex_t lock;
	void (*listener)(int); /* guarded by lock */
} subject = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_mutex_t view = PTHREAD_MUTEX_INITIALIZER;
static int shown; /* guarded by view */

static void show(int value)
{
	pthread_mutex_lock(&view); // deadlock callback
	shown = value;
	pthread_mutex_unlock(&view);
}

static void set(int value)
{
	pthread_mutex_lock(&subject.lock);
	if (subject.listener)
		subject.listener(value);
	pthread_mutex_unlock(&subject.lock);
}

static void leave(void)
{
	pthread_mutex_lock(&view);
	pthread_mutex_lock(&subject.lock); // deadlock callback
	subject.listener = NULL;
	pthread_mutex_unlock(&subject.lock);
	pthread_mutex_unlock(&view);
}

static void *first(void *arg)
{
	set(1);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	leave();
	return arg;
}

int main(void)
{
	pthread_t t, u;

	subject.listener = show;
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
