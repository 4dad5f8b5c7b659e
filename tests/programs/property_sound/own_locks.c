// Locks that the program makes itself: Peterson's, whose words the spec names, and tickets.
//spec shared int a;
//spec shared int b;
//spec shared int c;
//spec shared int d;
//spec shared int flag[0];
//spec shared int turn;
//spec property peterson: ptltl b <= a && a <= b + 1;
//spec property tickets: ptltl d <= c && c <= d + 1;
//spec property words: ptltl turn <= 1 && flag[0] <= 1;
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

int a, b, c, d;
atomic_int flag[2], turn;
static atomic_uint next, served;

static void sections(int me)
{
	for (int i = 0; i < 2; i++) {
		unsigned ticket;

		flag[me] = 1;
		turn = 1 - me;
		while (flag[1 - me] && turn == 1 - me)
			sched_yield();
		a++;
		b++;
		flag[me] = 0;
		ticket = atomic_fetch_add(&next, 1);
		while (served != ticket)
			sched_yield();
		c++;
		d++;
		served = ticket + 1;
	}
}

static void *first(void *arg)
{
	sections(0);
	return arg;
}

static void *second(void *arg)
{
	sections(1);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
