/* Data, then a signal to the thread whose handler uses it. */
#include <pthread.h>
#include <signal.h>

int data;
volatile int sink;
static volatile sig_atomic_t done; /* of one thread */

static void handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	sink = data;
	done = number == SIGUSR1 && info->si_code == SI_TKILL;
}

static void *receiver(void *arg)
{
	sigset_t none;

	sigemptyset(&none);
	while (!done)
		sigsuspend(&none);
	return arg;
}

int main(void)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	pthread_t t;
	sigset_t set;

	sigaction(SIGUSR1, &a, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, receiver, NULL);
	data = 1;
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
