/* The settings are used by a thread that does not wait until they are there. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

struct settings {
	int depth;
};

static struct settings defaults;
struct settings *volatile current;

static void *loader(void *arg)
{
	current = &defaults;
	order_at(0);
	return arg;
}

static void *user(void *arg)
{
	order_at(1);
	FORESEE_EVENT("use"); // property loaded
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, loader, NULL);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
