// A program that leaves processes behind: a child, a daemon, another program.  None heeds a request to end.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int x, there[2];

static void *f(void *arg)
{
	x = 1;
	return arg;
}

static void leave(int how)
{
	if (fork() != 0)
		return;
	if (how == 1) {
		setsid();
		if (fork() != 0)
			_exit(0);
	}
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	dprintf(3, "%d\n", (int)getpid());
	if (write(there[1], "", 1) != 1)
		_exit(1);
	if (how == 2)
		execlp("sleep", "sleep", "1000", (char *)0);
	sleep(1000);
	_exit(0);
}

/* The numbers of all go to descriptor 3. */
int main(int argc, char **argv)
{
	pthread_t t;

	if (pipe(there) != 0)
		return 9;
	for (int how = 0; how < 3; how++) {
		char byte;

		leave(how);
		if (read(there[0], &byte, 1) != 1)
			return 9;
	}
	pthread_create(&t, NULL, f, NULL);
	x = 2;
	pthread_join(t, NULL);
	while (argc > 1)
		sleep(1);
	return 0;
}
