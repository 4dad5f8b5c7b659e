/* A system call that has nothing to do with other threads orders none. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../order.h"

int data;

static void *first(void *arg)
{
	data = 1; // race data
	syscall(SYS_gettid);
	order_at(0);
	return arg;
}

static void *second(void *arg)
{
	order_at(1);
	syscall(SYS_gettid);
	data = 2; // race data
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
