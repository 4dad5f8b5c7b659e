/* Recursion far deeper than any shadow of it; stacks as small as they may be, and huge ones. */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static volatile int calls;
static jmp_buf out;

static void count(void)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
}

static int deep(int n)
{
	int x = 0;

	calls++;
	if (n % 50000 == 0)
		count();
	if (n > 0)
		x = deep(n - 1);
	else if (n == 0 && calls > 200000)
		longjmp(out, 1);
	return x + 1;
}

static void *recursion(void *arg)
{
	assert(deep(100000) == 100001);
	if (setjmp(out) == 0)
		deep(100000);
	count();
	return arg;
}

static void *tiny(void *arg)
{
	for (int i = 0; i < 100; i++)
		count();
	return arg;
}

static void run(void *(*f)(void *), size_t size)
{
	pthread_attr_t a;
	pthread_t t[2];

	pthread_attr_init(&a);
	assert(pthread_attr_setstacksize(&a, size) == 0);
	for (int i = 0; i < (f == tiny ? 2 : 1); i++)
		assert(pthread_create(&t[i], &a, f, NULL) == 0);
	for (int i = 0; i < (f == tiny ? 2 : 1); i++)
		pthread_join(t[i], NULL);
}

static void given(void)
{
	size_t size = 1 << 20;
	char *mine = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstack(&a, mine, size);
	for (int i = 0; i < 3; i++) {
		assert(pthread_create(&t, &a, tiny, NULL) == 0);
		pthread_join(t, NULL);
	}
	munmap(mine, size);
}

int main(void)
{
	run(tiny, (size_t)PTHREAD_STACK_MIN);
	run(tiny, (size_t)4 << 30);
	run(recursion, (size_t)1 << 30);
	given();
	printf("%d\n", total);
	return total != 400 + 3 + 3 + 1 + 300;
}
