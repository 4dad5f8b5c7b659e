// A barrier, and one made of a condition.
//spec shared int a;
//spec shared int b;
//spec shared int both;
//spec property met: ptltl start(both == 1) -> a == 1 && b == 1;
//spec property later: ptltl a == 2 -> both == 1 && b >= 1;
#include <pthread.h>

int a, b, both;
static int came;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static void meet(void)
{
	pthread_mutex_lock(&m);
	if (++came == 2)
		pthread_cond_broadcast(&all);
	while (came < 2)
		pthread_cond_wait(&all, &m);
	pthread_mutex_unlock(&m);
}

static void *first(void *arg)
{
	a = 1;
	meet();
	both = 1;
	pthread_barrier_wait(&barrier);
	a = 2;
	return arg;
}

static void *second(void *arg)
{
	b = 1;
	meet();
	pthread_barrier_wait(&barrier);
	b = 2;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
