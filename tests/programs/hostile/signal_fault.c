/* A handler that mends what faulted, and one that jumps away from it: both are ways to live. */
// full-open
// full-note: a signal handler jumped out of the middle of a record
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *page;
static volatile int mended, away;
static sigjmp_buf back;
static int total;

static void fault(int n, siginfo_t *info, void *context)
{
	(void)n, (void)context;
	if (((uintptr_t)info->si_addr & ~4095ul) == (uintptr_t)page && !away) {
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		mended++;
	} else {
		siglongjmp(back, 1);
	}
}

static void *worker(void *arg)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		total++;
		page[64] += 1;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	struct sigaction a = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
	pthread_t t;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &a, NULL);
	pthread_create(&t, NULL, worker, NULL);
	worker(NULL);
	pthread_join(t, NULL);
	mprotect(page, 4096, PROT_READ);
	away = 1;
	if (sigsetjmp(back, 1) == 0) {
		page[0] = 1;
		return 1;
	}
	pthread_create(&t, NULL, worker, (away = 0, NULL));
	pthread_join(t, NULL);
	printf("%d\n", total);
	return mended != 2 || total != 300;
}
