// Counters that only sections of one lock change; the lock nests, and is tried.
//spec shared int a;
//spec shared int b;
//spec property near: ptltl b <= a && a <= b + 1;
#include <pthread.h>
#include <sched.h>

int a, b;
static pthread_mutex_t m;

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		a++;
		pthread_mutex_lock(&m);
		b++;
		pthread_mutex_unlock(&m);
		pthread_mutex_unlock(&m);
	}
	for (int i = 0; i < 5; i++) {
		if (pthread_mutex_trylock(&m) == 0) {
			a++;
			sched_yield();
			b++;
			pthread_mutex_unlock(&m);
		}
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &kind);
	pthread_create(&t[0], NULL, count, NULL);
	pthread_create(&t[1], NULL, count, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
