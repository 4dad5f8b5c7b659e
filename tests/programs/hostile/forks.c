/* fork while other threads lock and count: parent and child go on, the child makes threads of its own,
 * and leaves in every way there is. */
// note: forked: the child, process [0-9]+, is not recorded
// note: forked [0-9]+ children in all, none of them recorded
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int total;

static void *worker(void *arg)
{
	while (!atomic_load(&stop)) {
		void *p = malloc(100);

		if (pthread_mutex_trylock(&lock) == 0) { /* in a child it may be held for ever */
			total++;
			pthread_mutex_unlock(&lock);
		}
		free(p);
		for (int i = 0; i < 3000; i++) /* time, without a record */
			__asm__ volatile("");
	}
	return arg;
}

static void *in_child(void *arg)
{
	for (int i = 0; i < 1000; i++)
		atomic_fetch_add(&stop, 1);
	return arg;
}

static void child(int i)
{
	pthread_t t[2];

	for (int k = 0; k < 2; k++)
		pthread_create(&t[k], NULL, in_child, NULL);
	for (int k = 0; k < 2; k++)
		pthread_join(t[k], NULL);
	if (i % 3 == 0)
		exit(7);
	if (i % 3 == 1)
		_exit(7);
	if (i % 2 == 0)
		quick_exit(7);
	if (fork() == 0)
		_exit(0);
	wait(NULL);
	_Exit(7);
}

int main(void)
{
	pthread_t t[2];
	int bad = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 30; i++) {
		pid_t p = fork();
		int status = 0;

		if (p == 0)
			child(i);
		if (p < 0 || waitpid(p, &status, 0) != p || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 7)
			bad++;
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return bad != 0 || total == 0;
}
