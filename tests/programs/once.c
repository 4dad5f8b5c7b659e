/* pthread_once: who ran it, who passed; one inside another. */
#include <pthread.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int value;

static void set_inner(void)
{
	value = 1;
}

static void set_outer(void)
{
	pthread_once(&inner, set_inner);
	value++;
}

static void *other(void *arg)
{
	pthread_once(&outer, set_outer); // expect T2: threadbegin; oncepass outer; threadend
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_once(&outer, set_outer); // expect T1: threadbegin; oncebegin outer
	// expect T1: oncebegin inner; onceend inner; onceend outer main
	pthread_once(&inner, set_inner);       // expect T1: oncepass inner
	pthread_create(&t, NULL, other, NULL); // expect T1: fork T2
	pthread_join(t, NULL);		       // expect T1: join T2; threadend
	return value == 2 ? 0 : 1;
}
