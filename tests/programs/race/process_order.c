/* Other processes pass on what they are told: by a pipe, and by their end. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int to[2], from[2];
static pid_t echo, sleeper;
int told, closed, killed;
static _Thread_local volatile int sink;

static void *reads(void *arg)
{
	char c;

	assert(read(from[0], &c, 1) == 1);
	sink = told;
	return arg;
}

static void *waits(void *arg)
{
	assert(waitpid(echo, NULL, 0) == echo);
	sink = closed;
	return arg;
}

static void *waits_too(void *arg)
{
	assert(waitpid(sleeper, NULL, 0) == sleeper);
	sink = killed;
	return arg;
}

static void child(void)
{
	char c;

	close(to[1]);
	while (read(to[0], &c, 1) == 1)
		if (write(from[1], &c, 1) != 1)
			break;
	_exit(0);
}

int main(void)
{
	pthread_t t, u, v;

	assert(pipe(to) == 0 && pipe(from) == 0);
	echo = fork();
	if (echo == 0)
		child();
	sleeper = fork();
	if (sleeper == 0) {
		close(to[1]);
		pause();
	}
	pthread_create(&t, NULL, reads, NULL);
	pthread_create(&u, NULL, waits, NULL);
	pthread_create(&v, NULL, waits_too, NULL);
	told = 1;
	assert(write(to[1], "x", 1) == 1);
	closed = 1;
	close(to[1]);
	killed = 1;
	kill(sleeper, SIGKILL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	pthread_join(v, NULL);
	return 0;
}
