/* A futex by bare system calls: who is woken comes after the one who woke him. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word; /* never changes */
int data;
volatile int sink;

static void *waker(void *arg)
{
	data = 1;
	while (syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0)
		sched_yield();
	return arg;
}

static void *sleeper(void *arg)
{
	while (syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0) != 0)
		;
	sink = data;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, waker, NULL);
	pthread_create(&u, NULL, sleeper, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
