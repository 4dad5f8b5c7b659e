/*
 * Seems to hang and does not: `alive WHAT' goes on after 3.5 seconds, when what it waits for comes
 * from outside, or after a time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct timespec nap = { 3, 500000000 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static void *nothing(void *arg)
{
	pthread_mutex_lock(&m); /* until the first thread goes on */
	pthread_mutex_unlock(&m);
	return arg;
}

static void post(int number)
{
	(void)number;
	sem_post(&sem);
}

/* A thread that is asleep all the time, without a limit, while another waits with one. */
static void among_threads(const char *what)
{
	struct timespec until;
	pthread_t t;
	int ends[2];

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, nothing, NULL);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += nap.tv_sec;
	if (strcmp(what, "timed") == 0) {
		pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

		pthread_mutex_lock(&own);
		while (pthread_cond_timedwait(&c, &own, &until) != ETIMEDOUT)
			;
		pthread_mutex_unlock(&own);
	} else if (strcmp(what, "sleep") == 0) {
		nanosleep(&nap, NULL);
	} else if (strcmp(what, "poll") == 0) {
		if (pipe(ends) == 0)
			poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, 3500);
	} else { /* runs */
		while (time(NULL) < until.tv_sec)
			;
	}
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}

/* What wakes it is a signal, or another process. */
static void from_outside(const char *what)
{
	sem_t *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct itimerval in = { .it_value = { nap.tv_sec, 500000 } };

	if (strcmp(what, "alarm") == 0) {
		sem_init(&sem, 0, 0);
		signal(SIGALRM, post);
		setitimer(ITIMER_REAL, &in, NULL);
		while (sem_wait(&sem) != 0)
			;
	} else if (strcmp(what, "process") == 0) {
		sem_init(shared, 1, 0);
		if (fork() == 0) {
			nanosleep(&nap, NULL);
			sem_post(shared);
			_exit(0);
		}
		while (sem_wait(shared) != 0)
			;
	} else if (fork() == 0) { /* child: it hangs itself, and is killed in the end */
		pthread_mutex_lock(&m);
		signal(SIGALRM, SIG_DFL);
		alarm(4);
		pthread_mutex_lock(&m);
		_exit(0);
	} else {
		wait(NULL);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "sleep";

	if (strchr("apc", what[0]) && strcmp(what, "poll") != 0)
		from_outside(what);
	else
		among_threads(what);
	return 0;
}
