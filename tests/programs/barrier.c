/* Two generations of a barrier, then the same memory as a new one. */
#include <pthread.h>

static pthread_barrier_t b;

static void *other(void *arg)
{
	pthread_barrier_wait(&b); // expect T2: threadbegin; barin b 1; barout b 1
	pthread_barrier_wait(&b); // expect T2: barin b 2; barout b 2
	return arg;		  // expect T2: threadend
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);     // expect T1: threadbegin; barinit b 2
	pthread_create(&t, NULL, other, NULL); // expect T1: fork T2
	pthread_barrier_wait(&b);	       // expect T1: barin b 1; barout b 1
	pthread_barrier_wait(&b);	       // expect T1: barin b 2; barout b 2
	pthread_join(t, NULL);		       // expect T1: join T2
	pthread_barrier_destroy(&b);	       // expect T1: bardestroy b
	pthread_barrier_init(&b, NULL, 1);     // expect T1: barinit b 1
	pthread_barrier_wait(&b);	       // expect T1: barin b 1; barout b 1
	pthread_barrier_wait(&b);	       // expect T1: barin b 2; barout b 2
	pthread_barrier_destroy(&b);	       // expect T1: bardestroy b
	return 0;			       // expect T1: threadend
}
