/* Signals that come in the middle of records: each handler is recorded whole, and the thread's mask is
 * in the end what it was. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static volatile int plain, queued, stop, work[16];

static void count(int n)
{
	(void)n;
	plain++;
	work[3]++;
}

static void look(int n, siginfo_t *info, void *context)
{
	assert(info->si_signo == n && info->si_value.sival_int == 5 && context != NULL);
	queued++; // never T1: unknown
}

static void *sender(void *to)
{
	for (int i = 0; i < 2000; i++) {
		pthread_kill(*(pthread_t *)to, SIGUSR1);
		pthread_sigqueue(*(pthread_t *)to, SIGRTMIN, (union sigval){ .sival_int = 5 });
	}
	stop = 1;
	return NULL;
}

int main(void)
{
	struct sigaction a;
	sigset_t before, after;
	pthread_t self = pthread_self(), t;

	memset(&a, 0, sizeof(a));
	a.sa_handler = count;
	sigaction(SIGUSR1, &a, NULL);
	a.sa_sigaction = look;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGRTMIN, &a, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	pthread_create(&t, NULL, sender, &self);
	errno = 7777;
	while (!stop)
		for (int i = 0; i < 16; i++)
			work[i] += i;
	assert(errno == 7777);
	pthread_join(t, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	assert(memcmp(&before, &after, 8) == 0);
	return plain == 0 || queued != 2000; /* these queue up, the others need not */
}
