/* Children that come past fork: bare system calls, clone, _Fork, vfork, posix_spawn, system, popen. */
// note: forked: the child, process [0-9]+, is not recorded
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, table[1000];
static char stack[65536] __attribute__((aligned(16)));

static void count(void)
{
	pthread_mutex_lock(&lock);
	shared++;
	for (int i = 0; i < 1000; i++)
		table[i] += i;
	pthread_mutex_unlock(&lock);
}

/* The lock may be held for ever there. */
static void count_in_child(void)
{
	for (int i = 0; i < 1000; i++)
		table[i] += i;
}

static int ended(pid_t p)
{
	int status = 0;

	while (waitpid(p, &status, 0) < 0)
		;
	count();
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int cloned(void *arg)
{
	count_in_child();
	return *(int *)arg;
}

static void *worker(void *arg)
{
	for (int i = 0; i < 200; i++)
		count();
	return arg;
}

int main(int argc, char **own)
{
	char *self[] = { "self", "child", NULL }, *argv[] = { "sh", "-c", "exit 9", NULL };
	pthread_t t;
	int seven = 7;
	pid_t p;
	FILE *f;

	(void)own;
	if (argc > 1) /* started by ourselves, with an environment that tells how to record */
		return 13;
	pthread_create(&t, NULL, worker, NULL);
	if ((p = (pid_t)syscall(SYS_fork)) == 0) {
		count_in_child();
		_exit(5);
	}
	assert(ended(p) == 5);
	if ((p = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0) {
		count_in_child();
		_exit(6);
	}
	assert(ended(p) == 6);
	assert(ended(clone(cloned, stack + sizeof(stack), SIGCHLD, &seven)) == 7);
	if ((p = _Fork()) == 0) {
		shared++;
		_exit(8);
	}
	assert(ended(p) == 8);
	if ((p = vfork()) == 0) {
		execv("/bin/sh", argv);
		_exit(1);
	}
	assert(ended(p) == 9);
	if ((p = vfork()) == 0)
		_exit(10); /* in our memory */
	assert(ended(p) == 10);
	assert(posix_spawn(&p, "/proc/self/exe", NULL, NULL, self, environ) == 0);
	assert(ended(p) == 13);
	assert(posix_spawn(&p, "/bin/sh", NULL, NULL, argv, environ) == 0);
	assert(ended(p) == 9);
	assert(WEXITSTATUS(system("exit 11")) == 11);
	f = popen("exit 12", "r");
	assert(f != NULL && WEXITSTATUS(pclose(f)) == 12);
	count();
	pthread_join(t, NULL);
	printf("%d\n", shared);
	return 0;
}
