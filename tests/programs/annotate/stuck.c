/* Two locks in opposite orders, and this time it happens.  Somebody has to end it. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "../order.h"
#include "family.h"

static struct spin left, right;

static void *other(void *arg)
{
	lock(&right);
	order_at(0);
	order_see(2);
	lock(&left);
	return arg;
}

static void *end(void *arg)
{
	order_see(2);
	usleep(200000);
	kill(getpid(), SIGKILL);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, other, NULL);
	pthread_create(&u, NULL, end, NULL);
	lock(&left);
	order_at(1);
	lock(&right);
	return 0;
}
