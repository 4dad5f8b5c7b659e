/* A spin lock of inline assembly; it is left by a plain store. */
#include <pthread.h>
#include <sched.h>

static int lock;
int data;

static void take(void)
{
	int was = 1;

	for (;;) {
		__asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(lock) : : "memory");
		if (was == 0)
			return;
		sched_yield();
	}
}

static void drop(void)
{
	__asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
}

static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		take();
		data++;
		drop();
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
