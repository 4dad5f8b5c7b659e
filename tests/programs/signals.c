/* Signals: setting a handler and sending give, the handler takes; the program's own handlers, masks
 * and flags are what it asked for. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int got, value, masked;

static void count(int n)
{
	got += n;
}

static void look(int n, siginfo_t *info, void *context)
{
	sigset_t now;

	value = info->si_value.sival_int + (context == NULL);
	sigprocmask(SIG_BLOCK, NULL, &now);
	masked = sigismember(&now, SIGUSR2) + 2 * sigismember(&now, n);
}

static void by_signal(void)
{
	assert(signal(SIGUSR1, count) == SIG_DFL); // expect T1: threadbegin; give signal
	got = 0;
	raise(SIGUSR1); // expect T1: give signal; take signal
	assert(got == SIGUSR1);
	assert(signal(SIGUSR1, SIG_IGN) == count); // expect T1: give signal
	assert(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
	got = 0;
}

static void by_sigaction(void)
{
	struct sigaction a, old;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = look;
	a.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaddset(&a.sa_mask, SIGUSR2);
	assert(sigaction(SIGUSR1, &a, &old) == 0 &&
	       old.sa_handler == SIG_DFL); // expect T1: give signal
	sigqueue(getpid(), SIGUSR1,
		 (union sigval){ .sival_int = 9 }); // expect T1: give signal; take signal
	assert(value == 9 && masked == 1);
	memset(&old, 0, sizeof(old));
	assert(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_sigaction == look);
	assert(old.sa_flags & SA_SIGINFO && sigismember(&old.sa_mask, SIGUSR2));
	a.sa_handler = count;
	a.sa_flags = SA_RESETHAND;
	assert(sigaction(SIGUSR1, &a, &old) == 0 &&
	       old.sa_sigaction == look);      // expect T1: give signal
	pthread_kill(pthread_self(), SIGUSR1); // expect T1: give signal; take signal
	assert(got == SIGUSR1);
	assert(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	assert(sigaction(SIGKILL, &a, NULL) == -1); // expect T1: give signal
}

static void waiting(void)
{
	struct itimerval soon = { .it_value = { 0, 1000 } };
	siginfo_t info;
	sigset_t set;
	int n;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR2);			// expect T1: give signal
	assert(sigwait(&set, &n) == 0 && n == SIGUSR2); // expect T1: take signal
	setitimer(ITIMER_REAL, &soon, NULL);		// expect T1: give signal
	assert(sigwaitinfo(&set, &info) == SIGALRM);	// expect T1: take signal
	assert(sigtimedwait(&set, NULL, &(struct timespec){ 0, 1 }) == -1);
}

int main(void)
{
	by_signal();
	by_sigaction();
	waiting();
	return 0; // expect T1: threadend
}
