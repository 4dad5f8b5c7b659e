/*
 * `g' is set by main before there are threads, and read by one: its reads need no record.  Each of the
 * macros makes a program in which they do; t2057-frozen.sh says which there are.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "order.h"

#ifdef VOLATILE
#define HOW volatile
#elif defined ATOMIC
#define HOW _Atomic
#elif defined SECTION
#define HOW __attribute__((section("mine")))
#elif defined EXPORTED
#define HOW __attribute__((visibility("default")))
#else
#define HOW static
#endif
#if defined VOLATILE || defined ATOMIC || defined SECTION
static
#endif
	HOW int g;
_Alignas(64) int seen;
static _Alignas(64) pthread_t made;

void other_set(int *p);
void other_set_table(void);
void other_main(void);

static __attribute__((noinline)) int look(void)
{
	return g;
}

static void *work(void *arg)
{
	order_see(1);
	seen += look();
	return arg;
}

static __attribute__((noinline)) pthread_t start(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	return t;
}

#ifdef CIRCLE
static __attribute__((noinline)) void odd(int n);
static __attribute__((noinline)) void even(int n)
{
	if (n)
		odd(n - 1);
}
static void odd(int n)
{
	even(n - 1);
	if (n == 1)
		made = start();
}
#elif defined CONSTRUCTED
static __attribute__((constructor)) void construct(void)
{
	made = start();
}
#elif defined HANDLER
static void handler(int n)
{
	g = n;
}
#elif defined SETTER
static __attribute__((noinline)) void set(int n)
{
	g = n;
}
#elif defined CALLBACK
static int compare(const void *a, const void *b)
{
	if (!made)
		made = start();
	return *(const int *)a - *(const int *)b;
}
#include <stdlib.h>
#elif defined TABLE
int *table[] = { &g };
#endif

int main(void)
{
	static int steps;
#ifdef JUMP
	static jmp_buf buffer;

	setjmp(buffer);
#elif defined CIRCLE
	odd(3);
#elif defined CALLBACK
	int two[2] = { 2, 1 };

	qsort(two, 2, sizeof(*two), compare);
#endif
#ifdef LOOP
	for (int i = 0; i < 2; i++) {
		g = i;
		if (i == 0)
			made = start();
	}
#else
	g = 5;
#endif
#ifdef JUMP
	if (!made) {
		made = start();
		longjmp(buffer, 1);
	}
#else
	if (!made)
		made = start();
#endif
#ifdef LATE
	g = 6;
#elif defined COPY
	memcpy(&g, &made, sizeof(g));
#elif defined FILL
	memset(&g, steps + 1, sizeof(g));
#elif defined ADDRESS
	other_set(&g);
#elif defined TABLE
	other_set_table();
#elif defined HANDLER
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
#elif defined SETTER
	set(6);
#elif defined ASSEMBLY
	__asm__ volatile("movl $6, %0" : "=m"(g) : : "memory");
#elif defined AGAIN
	if (steps == 0) {
		steps = 1;
		other_main();
	}
	steps = 0;
#endif
	order_at(steps++);
	pthread_join(made, NULL);
	return seen == 0;
}
