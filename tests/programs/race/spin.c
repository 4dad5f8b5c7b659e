/* A spin lock. */
#include <pthread.h>

#include "../order.h"

static pthread_spinlock_t s;
int x;

static void *first(void *arg)
{
	pthread_spin_lock(&s);
	x++;
	pthread_spin_unlock(&s);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	pthread_spin_lock(&s);
	x += 2;
	pthread_spin_unlock(&s);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
