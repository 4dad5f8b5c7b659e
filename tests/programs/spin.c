/* Spin locks. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t s;

static void *other(void *arg)
{
	assert(pthread_spin_trylock(&s) == EBUSY); // expect T2: threadbegin; tryfail s try
	return arg;				   // expect T2: threadend
}

int main(void)
{
	pthread_t t;

	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE); // expect T1: threadbegin; lockinit s
	pthread_spin_lock(&s);				// expect T1: lock s
	pthread_create(&t, NULL, other, NULL);		// expect T1: fork T2
	pthread_join(t, NULL);				// expect T1: join T2
	pthread_spin_unlock(&s);			// expect T1: unlock s
	assert(pthread_spin_trylock(&s) == 0);		// expect T1: lock s try
	pthread_spin_unlock(&s);			// expect T1: unlock s
	pthread_spin_destroy(&s);			// expect T1: lockdestroy s
	return 0;					// expect T1: threadend
}
