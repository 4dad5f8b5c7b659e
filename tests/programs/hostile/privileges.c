/* Privileges, limits and places that change under way: the recording goes on, by the file it has. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *arg)
{
	for (int i = 0; i < 30000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void work(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

int main(void)
{
	struct rlimit few = { 4, 4 }, small = { 1 << 16, 1 << 16 };

	work();
	if (chdir("/") != 0)
		return 1;
	umask(0777);
	unshare(CLONE_FS | CLONE_FILES);
	setrlimit(RLIMIT_NOFILE, &few);
	setrlimit(RLIMIT_CORE, &small);
	setrlimit(RLIMIT_STACK, &small);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (getuid() == 0 &&
	    (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
		return 2;
	work();
	return total != 120000;
}
