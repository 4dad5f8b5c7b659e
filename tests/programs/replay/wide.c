/* A race with an atomic access of 16 bytes, which has no gate.  t9030-kinds.sh */
#include <pthread.h>
#include <stdio.h>

struct pair {
	long a, b;
} __attribute__((aligned(16)));

static _Atomic struct pair p;

static void *f(void *arg)
{
	struct pair v = { 1, 2 };

	__c11_atomic_store(&p, v, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	printf("%ld\n", ((volatile struct pair *)&p)->a);
	pthread_join(t, NULL);
	return 0;
}
