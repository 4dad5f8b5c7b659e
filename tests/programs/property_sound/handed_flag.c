// A flag that the spec does not name orders the two writes that it does.
//spec shared int data;
//spec shared int used;
//spec property order: ptltl start(used == 1) -> data == 7;
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

int data, used;
static atomic_int ready;

static void *give(void *arg)
{
	data = 7;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return arg;
}

static void *take(void *arg)
{
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		sched_yield();
	used = 1;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, give, NULL);
	pthread_create(&t[1], NULL, take, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
