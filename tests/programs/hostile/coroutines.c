/* makecontext, swapcontext: stacks of the program's own making, each with its own frames. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define N 8
#define ROOM 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

struct loop {
	ucontext_t main, co[N];
	char *stacks[N];
	int live, sum;
};
static __thread struct loop *now;

static __attribute__((noinline)) void count_in_coroutine(void)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
}

static void step(int i, int deep)
{
	if (deep > 0) {
		step(i, deep - 1);
	} else {
		swapcontext(&now->co[i], &now->main);
		count_in_coroutine();
	}
	now->sum++;
}

static void body(int i)
{
	for (int k = 0; k < 20; k++)
		step(i, i + k % 3);
	now->live--;
}

static __attribute__((noinline)) void count_in_main(void)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	struct loop l = { .live = N };

	(void)arg;
	now = &l;
	for (int i = 0; i < N; i++) {
		l.stacks[i] = malloc(ROOM);
		getcontext(&l.co[i]);
		l.co[i].uc_stack.ss_sp = l.stacks[i];
		l.co[i].uc_stack.ss_size = ROOM;
		l.co[i].uc_link = &l.main;
		makecontext(&l.co[i], (void (*)(void))body, 1, i);
	}
	for (int k = 0; l.live > 0; k++) {
		if (k <= 20)
			for (int i = 0; i < N; i++)
				swapcontext(&l.main, &l.co[i]);
		count_in_main();
	}
	for (int i = 0; i < N; i++)
		free(l.stacks[i]);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", shared);
	return shared != 2 * (N * 20 + 21);
}
