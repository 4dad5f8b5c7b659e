/* A thread that waits for signals, and two that send them. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int one, two;
volatile int sink;
static pthread_t waiter;

static void *sender(void *arg)
{
	one = 1;
	pthread_kill(waiter, SIGUSR1);
	return arg;
}

static void *other(void *arg)
{
	two = 1;
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 7 });
	return arg;
}

int main(void)
{
	siginfo_t info;
	pthread_t t, u;
	sigset_t set;
	int n;

	waiter = pthread_self();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigdelset(&set, SIGRTMIN);
	pthread_create(&t, NULL, sender, NULL);
	pthread_create(&u, NULL, other, NULL);
	assert(sigwait(&set, &n) == 0 && n == SIGUSR1);
	sink = one;
	sigdelset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	assert(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == 7);
	sink = two;
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
