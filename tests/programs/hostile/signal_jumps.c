/* siglongjmp out of handlers, of signals that come at any time to threads that lock and count. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t may; /* jump: outside of what a jump must not leave */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int jumps, ready, done;
static int total;

static void jump(int n)
{
	(void)n;
	if (may) {
		may = 0;
		atomic_fetch_add(&jumps, 1);
		siglongjmp(back, 1);
	}
}

static int busy(volatile int *x, int deep)
{
	for (int i = 0; i < 50; i++) {
		*x += i;
		for (int k = 0; k < 100; k++) /* time, without a record */
			__asm__ volatile("");
	}
	return deep > 0 ? busy(x, deep - 1) + 1 : *x;
}

static void *worker(void *arg)
{
	volatile int own = 0;

	(void)arg;
	atomic_fetch_add(&ready, 1);
	for (volatile int round = 0; !atomic_load(&done); round++) {
		if (sigsetjmp(back, 1) == 0) {
			may = 1;
			busy(&own, 5);
			may = 0;
			if (round % 64 != 0) /* most of the time it is where a jump can leave */
				continue;
		}
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	struct sigaction a = { .sa_handler = jump };
	pthread_t t[2];

	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	while (atomic_load(&ready) < 2)
		;
	for (int i = 0; i < 100000 && atomic_load(&jumps) < 100; i++) {
		pthread_kill(t[i % 2], SIGUSR1);
		usleep(100); /* where processors are few, they are theirs */
	}
	atomic_store(&done, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return atomic_load(&jumps) < 100 || total == 0;
}
