/* A library that nobody instrumented fills memory, between two reads of it, from a thread of its own:
 * what is read there is not known, and is no contradiction and no race. */
// flags: -L. -lunseen
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern void library_fill(char *p, int n, int with);
extern void library_begin(char *p, int n);
extern void library_end(void);
extern int library_each(char *p, int n, int (*f)(int, void *), void *arg);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char shared[4096];
static int decided;

static int add(int x, void *sum)
{
	return *(int *)sum += x;
}

static int sum_of(const char *p, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		if (p[i] > 1)
			s += p[i];
	return s;
}

static void *worker(void *arg)
{
	int sum = 0, own = *(int *)arg;

	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		for (int k = 0; k < 100; k++)
			shared[k] = (char)own;
		library_fill(shared, 100, own + 1);
		if (sum_of(shared, 100) != 100 * (own + 1))
			decided += 1000;
		library_each(shared, 100, add, &sum);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	char *mine = malloc(1000);
	int one = 1, two = 2;
	pthread_t t[2];

	for (int i = 0; i < 1000; i++)
		mine[i] = 3;
	library_begin(mine, 1000); /* writes until the end */
	for (int i = 0; i < 200; i++)
		decided += sum_of(mine, 1000) == 7;
	pthread_create(&t[0], NULL, worker, &one);
	pthread_create(&t[1], NULL, worker, &two);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	library_end();
	decided += sum_of(mine, 1000) == 7;
	free(mine);
	printf("%d\n", decided);
	return decided != 0;
}
