/* A timer, whose signals any thread may get, in the way of everything.  t9030-kinds.sh */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ticks, n, x;

static void tick(int number)
{
	(void)number;
	__atomic_fetch_add(&ticks, 1, __ATOMIC_SEQ_CST);
}

static void *f(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	x++;
	return arg;
}

int main(void)
{
	struct itimerval on = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };
	pthread_t t[2];

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &on, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	printf("%d %d\n", n, x);
	return 0;
}
