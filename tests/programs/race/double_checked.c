/* Double-checked locking with a plain pointer. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct config {
	int level;
};

static struct config only;
struct config *config;

static int level(void)
{
	if (!config) { // race config
		pthread_mutex_lock(&m);
		if (!config) {
			only.level = 3;
			config = &only; // race config
		}
		pthread_mutex_unlock(&m);
	}
	return config->level;
}

volatile int seen;

static void *first(void *arg)
{
	seen = level() > 0;
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	level();
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
