/* Pipes and signals by bare system calls on one side, and by the C library's functions on the other. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2], back[2];
static sigset_t set;
static pid_t reader_id;
int sent, answered, signalled;
volatile int sink;

static void *reader(void *arg)
{
	char c;
	int n;

	assert(read(ends[0], &c, 1) == 1);
	sink = sent;
	answered = 1;
	assert(write(back[1], "x", 1) == 1);
	assert(sigwait(&set, &n) == 0);
	sink = signalled;
	return arg;
}

int main(void)
{
	pthread_t t;
	char c;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert(pipe(ends) == 0 && pipe(back) == 0);
	reader_id = getpid();
	pthread_create(&t, NULL, reader, NULL);
	sent = 1;
	assert(syscall(SYS_write, ends[1], "x", 1) == 1);
	assert(syscall(SYS_read, back[0], &c, 1) == 1);
	sink = answered;
	signalled = 1;
	assert(syscall(SYS_kill, reader_id, SIGUSR1) == 0);
	pthread_join(t, NULL);
	return 0;
}
