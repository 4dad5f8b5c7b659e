/* Two locks in opposite orders. */
#include <pthread.h>
#include <stdio.h>

#include "../order.h"
#include "family.h"

static struct spin left, right;

static void *other(void *arg)
{
	order_at(1);
	lock(&right);
	lock(&left);
	unlock(&left);
	unlock(&right);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, other, NULL);
	lock(&left);
	lock(&right);
	unlock(&right);
	unlock(&left);
	order_at(0);
	pthread_join(t, NULL);
	puts("no deadlock today");
	return 0;
}
