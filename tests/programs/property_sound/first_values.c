// What variables hold at first, in the program's file.
//spec shared int a;
//spec shared int *p;
//spec shared double d;
//spec shared long long n;
//spec property first: ptltl a == 42 && p != NULL && d == 1.5 && n < 0;
#include <pthread.h>

int a = 42;
int *p = &a;
double d = 1.5;
long long n = -1;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *touch(void *arg)
{
	pthread_mutex_lock(&m);
	*(volatile double *)&d = 1.5;
	pthread_mutex_unlock(&m);
	return *(int *volatile *)&p == &a ? arg : p;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, touch, NULL);
	pthread_create(&t[1], NULL, touch, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
