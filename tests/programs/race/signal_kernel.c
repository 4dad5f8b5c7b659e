/* Signals that the kernel sends for what a thread has done: a child ends, a message comes, a pipe has bytes. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2], told, file;
static mqd_t queue = -1;
int child, message, bytes, change;
volatile int sink;

static void await(int n)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, n);
	assert(sigwait(&set, &got) == 0 && got == n);
}

static void *does(void *arg)
{
	pid_t p;

	usleep(1000);
	child = 1;
	p = fork();
	if (p == 0)
		_exit(0);
	usleep(1000);
	bytes = 1;
	assert(write(ends[1], "x", 1) == 1);
	usleep(1000);
	change = 1;
	assert(write(file, "x", 1) == 1);
	usleep(1000);
	message = 1;
	if (queue != (mqd_t)-1)
		assert(mq_send(queue, "x", 1, 0) == 0);
	assert(waitpid(p, NULL, 0) == p);
	return arg;
}

static void *is_told(void *arg)
{
	char event[4096];

	await(SIGCHLD);
	sink = child;
	await(SIGIO);
	sink = bytes;
	assert(read(told, event, sizeof(event)) > 0);
	sink = change;
	if (queue != (mqd_t)-1) {
		await(SIGUSR1);
		sink = message;
	}
	return arg;
}

int main(void)
{
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct mq_attr size = { .mq_maxmsg = 2, .mq_msgsize = 8 };
	char name[64] = "/tmp/signal_kernel.XXXXXX";
	pthread_t t, u;
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert((file = mkstemp(name)) >= 0 && pipe(ends) == 0);
	told = inotify_init();
	assert(inotify_add_watch(told, name, IN_MODIFY) >= 0);
	unlink(name);
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	snprintf(name, sizeof(name), "/signal_kernel.%d", getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &size); /* not in every kernel */
	if (queue != (mqd_t)-1) {
		mq_unlink(name);
		mq_notify(queue, &how);
	}
	pthread_create(&t, NULL, is_told, NULL);
	pthread_create(&u, NULL, does, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
