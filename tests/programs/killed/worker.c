/*
 * Threads at full speed, until one of them ends the process.
 *
 *	worker FILE HOW WHO WHEN ROUNDS
 *
 * FILE holds, for each thread, how many rounds it has begun: it is mapped, so it is right however
 * the process ends.  HOW: kill, segv, abort, handler (abort in a signal handler).  WHO: main, or
 * worker, or holder (a worker that holds the lock).  WHEN: rounds of its own until then.  Whoever has done ROUNDS of them rests, so that traces do
 * not become large where threads have to wait for a processor.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORKERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long *begun; /* in the file */
static long total, words[64];
static volatile long nobody;
static const char *how;
static long rounds;
static pthread_barrier_t start;

static void in_handler(int number)
{
	(void)number;
	abort();
}

static void end(void)
{
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(how, "segv") == 0)
		*(volatile int *)0 = 1;
	else if (strcmp(how, "handler") == 0)
		raise(SIGUSR1);
	abort();
}

/* One round: what nobody else has, what all read, what a lock guards. */
static void round_of(int me, long n, int dies)
{
	long sum = 0;

	begun[me] = n;
	for (int k = 0; k < 4; k++)
		sum += words[(n + k) & 63] > 0;
	if (n % 16 == 0) {
		pthread_mutex_lock(&lock);
		total += sum;
		if (dies)
			end();
		pthread_mutex_unlock(&lock);
	}
}

struct part {
	int me, dies;
	long when;
};

static void *worker(void *arg)
{
	struct part *p = arg;

	pthread_barrier_wait(&start);
	for (long n = 1; n <= rounds; n++) {
		if (p->dies == 1 && n == p->when)
			end();
		round_of(p->me, n, p->dies == 2 && n >= p->when);
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct part parts[WORKERS] = { { 0 } };
	pthread_t t[WORKERS];
	long when;
	int fd;

	if (argc != 6)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	begun = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	how = argv[2];
	when = atol(argv[4]);
	rounds = atol(argv[5]);
	pthread_barrier_init(&start, NULL, WORKERS + 1);
	signal(SIGUSR1, in_handler);
	for (int i = 0; i < WORKERS; i++) {
		parts[i].me = i;
		parts[i].when = when;
		if (i == 1)
			parts[i].dies = strcmp(argv[3], "worker") == 0	 ? 1
					: strcmp(argv[3], "holder") == 0 ? 2
									 : 0;
		pthread_create(&t[i], NULL, worker, &parts[i]);
	}
	pthread_barrier_wait(&start);
	if (strcmp(argv[3], "main") == 0) {
		for (long i = 0; i < when; i++)
			nobody = i;
		end();
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
