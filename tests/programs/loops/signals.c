/* Loops that signals interrupt, whose handler has loops of its own; and one that stops at a page that is
 * not there, which the handler puts there. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define N 3000
#define PAGE 4096

static long a[N], b[N], c[64], d[64];
static volatile sig_atomic_t rounds, faults;
static char *pages;

static __attribute__((noinline)) void add(long *to, const long *with, int n)
{
	for (int i = 0; i < n; i++)
		to[i] += with[i];
}

static __attribute__((noinline)) void fill(int *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = i * 3;
}

static void ring(int number)
{
	(void)number;
	add(c, d, 64);
	rounds++;
}

static void fault(int number)
{
	(void)number;
	faults++;
	mprotect(pages, 3 * PAGE, PROT_READ | PROT_WRITE);
}

int main(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	long sum = 0, turns = 0;

	for (int i = 0; i < 64; i++)
		d[i] = 1;
	for (int i = 0; i < N; i++)
		b[i] = i;
	signal(SIGALRM, ring);
	setitimer(ITIMER_REAL, &often, NULL);
	while (turns < 200 || rounds < 20) {
		add(a, b, N);
		turns++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < N; i++)
		sum += a[i] != turns * i;
	for (int i = 0; i < 64; i++)
		sum += c[i] != rounds;
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages + PAGE, PAGE, PROT_NONE);
	signal(SIGSEGV, fault);
	fill((int *)(pages + 100), 2 * PAGE / 4);
	for (int i = 0; i < 2 * PAGE / 4; i++)
		sum += ((int *)(pages + 100))[i] != i * 3;
	printf("wrong %ld, faults %d\n", sum, (int)faults);
	return 0;
}
