/*
 * How long the kernel takes for a child with so many threads: what a run of `foresee explore' cannot do
 * without.
 *
 *	children COUNT THREADS		seconds, by the clock
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 64

static void *work(void *arg)
{
	return arg;
}

static void child(int nthreads)
{
	pthread_t threads[MOST];

	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			_exit(1);
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000, nthreads = argc > 2 ? atoi(argv[2]) : 2,
	    status;
	struct timespec begin, end;

	if (nthreads > MOST)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(nthreads);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.6f\n",
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
	return 0;
}
