/*
 * Two threads read clocks, under a lock, and race.  In the recording the second reads when the first is done, a
 * while later; another order has it the other way round.  Each reading goes to a file, argv[1].  Then deadlines, which are
 * computed by the clock: how long the waits took.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t zero;
static int x, word, out;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say(const char *what, double n)
{
	char line[80];

	snprintf(line, sizeof(line), "%s %.6f\n", what, n);
	if (write(out, line, strlen(line)) < 0)
		_exit(9);
}

static void look(const char *who)
{
	pthread_mutex_lock(&m);
	say(who, now(CLOCK_MONOTONIC));
	say("real", now(CLOCK_REALTIME));
	say("time", (double)time(NULL));
	pthread_mutex_unlock(&m);
}

static void *first(void *arg)
{
	for (int i = 0; i < 3; i++)
		look("first");
	x = 1;
	return arg;
}

static struct timespec *in_a_while(clockid_t clock)
{
	static struct timespec at;

	clock_gettime(clock, &at);
	at.tv_nsec += 300000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return &at;
}

/* Each takes three tenths of a second. */
static void waits(void)
{
	double begun;

	pthread_mutex_lock(&own);
	begun = now(CLOCK_MONOTONIC);
	pthread_cond_timedwait(&never, &own, in_a_while(CLOCK_REALTIME));
	say("condition", now(CLOCK_MONOTONIC) - begun);
	begun = now(CLOCK_MONOTONIC);
	pthread_mutex_timedlock(&own, in_a_while(CLOCK_REALTIME));
	say("mutex", now(CLOCK_MONOTONIC) - begun);
	begun = now(CLOCK_MONOTONIC);
	sem_timedwait(&zero, in_a_while(CLOCK_REALTIME));
	say("semaphore", now(CLOCK_MONOTONIC) - begun);
	begun = now(CLOCK_MONOTONIC);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, in_a_while(CLOCK_MONOTONIC), NULL);
	say("sleep", now(CLOCK_MONOTONIC) - begun);
	begun = now(CLOCK_MONOTONIC);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, in_a_while(CLOCK_MONOTONIC), NULL,
		FUTEX_BITSET_MATCH_ANY);
	say("futex", now(CLOCK_MONOTONIC) - begun);
}

int main(int argc, char **argv)
{
	double begun = now(CLOCK_MONOTONIC);
	pthread_t t;
	int seen;

	out = open(argc > 1 ? argv[1] : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	sem_init(&zero, 0, 0);
	pthread_create(&t, NULL, first, NULL);
	usleep(300000);
	for (int i = 0; i < 3; i++)
		look("second");
	usleep(300000);
	look("second");
	seen = x;
	look("second");
	pthread_join(t, NULL);
	waits();
	say("all", now(CLOCK_MONOTONIC) - begun + 0.0 * seen);
	return 0;
}
