/* Hangs: a thread is joined by one that has the lock it wants. */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l); // last T2: rdrequest l
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_rwlock_wrlock(&l);
	pthread_create(&t, NULL, reader, NULL);
	pthread_join(t, NULL); // last T1: joining T2
	return 0;
}
