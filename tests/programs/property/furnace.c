/* The alarm is for a furnace that is too hot; it comes late, and may come when it has cooled. */
#include <foresee.h>
#include <pthread.h>

#include "../order.h"

static volatile double temperature = 20.5;

static void *furnace(void *arg)
{
	temperature = 95.25;
	order_at(0);
	order_at(2);
	temperature = 60.0;
	return arg;
}

static void *watch(void *arg)
{
	order_at(1);
	FORESEE_EVENT1("alarm", 7); // property hot
	FORESEE_EVENT1("alarm", 8); /* of another device */
	order_at(3);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, furnace, NULL);
	pthread_create(&u, NULL, watch, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
