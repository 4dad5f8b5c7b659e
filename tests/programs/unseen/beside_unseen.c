/* The part of beside.c that nobody instruments. */
#include <pthread.h>
#include <stdlib.h>

void y_write(long value);
void *waiter(void *box);

void unseen_set(long *box)
{
	__atomic_store_n(box, 42, __ATOMIC_RELEASE);
}

void unseen_wait(long *box)
{
	while (__atomic_load_n(box, __ATOMIC_ACQUIRE) != 42)
		;
}

void *unseen_routine(void *box)
{
	y_write(1);
	unseen_set(box);
	return NULL;
}

#ifdef UNSEEN_MAIN
int main(void)
{
	long *box = malloc(64);
	pthread_t t;

	pthread_create(&t, NULL, waiter, box);
	unseen_routine(box);
	pthread_join(t, NULL);
	return 0;
}
#endif
