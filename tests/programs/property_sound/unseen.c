// Nobody records what assembly writes: nothing is known of it from the first read on.
//spec shared int a;
//spec shared int b;
//spec property order: ptltl b == 1 -> a == 5;
//expect nothing is known
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

int a, b;

static void *store(void *arg)
{
	__asm__ volatile("movl $5, %0" : "=m"(a));
	return arg;
}

static void *await(void *arg)
{
	usleep(300000); /* so that the first read shows it: repeated ones are recorded by version */
	while (*(volatile int *)&a != 5)
		sched_yield();
	b = 1;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, store, NULL);
	pthread_create(&t[1], NULL, await, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
