/* Threads that wait for signals of others, in the way that the argument says.  t9160-explore-signals.sh */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static sigset_t set;
static int fd, written; /* before the signal is sent, and read after it has come */
static volatile sig_atomic_t handled;

static void handler(int n)
{
	handled = n;
}

static void from_fd(void)
{
	struct signalfd_siginfo s;

	assert(read(fd, &s, sizeof(s)) == sizeof(s) && s.ssi_signo == SIGUSR1);
}

/* False: it has not come. */
static int await(const char *how)
{
	const struct timespec limit = { 1, 0 };
	struct pollfd at = { .fd = fd, .events = POLLIN };
	siginfo_t info;
	sigset_t others;
	int n = 0;

	if (strcmp(how, "sigwait") == 0) {
		assert(sigwait(&set, &n) == 0 && n == SIGUSR1);
	} else if (strcmp(how, "sigwaitinfo") == 0) {
		assert(sigwaitinfo(&set, &info) == SIGUSR1);
	} else if (strcmp(how, "sigtimedwait") == 0) {
		while (sigtimedwait(&set, &info, &limit) != SIGUSR1)
			assert(errno == EAGAIN);
	} else if (strcmp(how, "once") == 0) {
		return sigtimedwait(&set, &info, &limit) == SIGUSR1;
	} else if (strcmp(how, "signalfd") == 0) {
		from_fd();
	} else if (strcmp(how, "poll") == 0) {
		assert(poll(&at, 1, -1) == 1);
		from_fd();
	} else if (strcmp(how, "sigsuspend") == 0) {
		sigfillset(&others);
		sigdelset(&others, SIGUSR1);
		while (!handled)
			assert(sigsuspend(&others) == -1 && errno == EINTR);
	} else {
		assert(strcmp(how, "pause") == 0 && pause() == -1 && errno == EINTR);
	}
	return 1;
}

static void *waits(void *how)
{
	if (await(how))
		assert(written == 1);
	return how;
}

static void *locks(void *arg)
{
	pthread_mutex_t *first = arg, *then = arg == &one ? &two : &one;

	pthread_mutex_lock(first);
	pthread_mutex_lock(then);
	pthread_mutex_unlock(then);
	pthread_mutex_unlock(first);
	return NULL;
}

static void *sends(void *arg)
{
	kill(getpid(), arg ? SIGUSR2 : SIGUSR1);
	return NULL;
}

/* Whoever sends first. */
static void race(void)
{
	pthread_t t[2];
	int n = 0;

	pthread_create(&t[0], NULL, sends, NULL);
	pthread_create(&t[1], NULL, sends, t);
	sigwait(&set, &n);
	assert(n == SIGUSR1);
	sigwait(&set, &n);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* As if somebody else decided. */
static int is_third_run(void)
{
	return unlink("first") != 0 && unlink("second") != 0 && unlink("third") == 0;
}

int main(int argc, char **argv)
{
	const struct sigaction act = { .sa_handler = handler };
	const char *then = argc > 2 ? argv[2] : "";
	pthread_t t, u[2];

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "sigsuspend") == 0 || strcmp(argv[1], "pause") == 0)
		sigaction(SIGUSR1, &act, NULL);
	if (strcmp(argv[1], "pause") != 0)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (strcmp(argv[1], "race") == 0) {
		race();
		return 0;
	}
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	pthread_create(&t, NULL, waits, argv[1]);
	if (strcmp(then, "circle") == 0) {
		pthread_create(&u[0], NULL, locks, &one);
		pthread_create(&u[1], NULL, locks, &two);
		pthread_join(u[0], NULL);
		pthread_join(u[1], NULL);
	}
	written = 1;
	if (strcmp(then, "kill") == 0)
		kill(getpid(), SIGUSR1);
	else if (strcmp(then, "never") != 0 && !(strcmp(then, "elsewhere") == 0 && is_third_run()))
		pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
