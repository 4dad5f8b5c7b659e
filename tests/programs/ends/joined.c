/* Its thread has been joined, and the kernel still has it: a tracer has not taken note of its end.  The
 * program ends before the tracer does. */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_tracer[2], to_thread[2];

static void trace_one(void)
{
	char done;
	int tid;

	close(to_tracer[1]);
	if (read(to_tracer[0], &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	done = ptrace(PTRACE_SEIZE, tid, 0, 0) == 0;
	if (write(to_thread[1], &done, 1) == 1)
		done = (char)read(to_tracer[0], &done, 1); /* the program has ended */
	_exit(0);
}

static void *work(void *arg)
{
	char *traced = arg;
	int tid = gettid();

	if (write(to_tracer[1], &tid, sizeof(tid)) != sizeof(tid) ||
	    read(to_thread[0], traced, 1) != 1)
		*traced = 0;
	return NULL;
}

int main(void)
{
	pthread_t t;
	char traced = 0;

	if (pipe(to_tracer) != 0 || pipe(to_thread) != 0)
		return 1;
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		trace_one();
	}
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	pthread_create(&t, NULL, work, &traced);
	pthread_join(t, NULL);
	return traced ? 0 : 77;
}
