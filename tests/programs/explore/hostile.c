/* Programs that do not want to be explored: hostile WHAT [THREADS].  t9102-explore-hostile.sh */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 300

static int count;
static _Atomic int spun;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static const char *what;

static int is(const char *s)
{
	return strcmp(what, s) == 0;
}

static void *plain(void *arg)
{
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void from_pipe(void)
{
	int ends[2];
	char c;

	if (pipe(ends) == 0 && read(ends[0], &c, 1) == 0)
		abort();
}

/* A socket that anybody may connect to. */
static int listening(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int s = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(s, 1) != 0)
		abort();
	return s;
}

/* Another process, which may do what it likes. */
static void forks(int seconds)
{
	pid_t child = fork();

	if (child == 0) {
		pthread_mutex_lock(&own);
		count++;
		pthread_mutex_unlock(&own);
		sleep((unsigned)seconds);
		_exit(0);
	}
	if (seconds == 0)
		waitpid(child, NULL, 0);
}

static void no_memory(void)
{
	struct rlimit none = { 1 << 20, 1 << 20 };
	void *volatile got;

	setrlimit(RLIMIT_AS, &none);
	got = malloc(1 << 26);
	if (got)
		abort();
}

static void *odd(void *arg)
{
	if (is("pipe"))
		from_pipe();
	if (is("outside"))
		pause();
	if (is("network"))
		accept(listening(), NULL, NULL);
	if (is("spin"))
		for (;;)
			spun++;
	if (is("fork"))
		forks(0);
	if (is("leave"))
		forks(1000);
	if (is("exec"))
		execl("/bin/true", "true", NULL);
	if (is("parent"))
		kill(getppid(), SIGKILL);
	if (is("memory"))
		no_memory();
	if (is("exit"))
		exit(7);
	if (is("sleep"))
		sleep(1000);
	return plain(arg);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 2;
	pthread_t t[MOST];

	what = argc > 1 ? argv[1] : "";
	if (is("crash"))
		abort();
	if (is("close"))
		for (int i = 0; i < 1024; i++)
			close(i);
	if (is("daemon") && daemon(1, 0) != 0)
		return 1;
	for (int i = 0; i < n && i < MOST; i++)
		pthread_create(&t[i], NULL, i ? plain : odd, NULL);
	if (is("spin"))
		spun = 0;
	for (int i = 0; i < n && i < MOST; i++)
		pthread_join(t[i], NULL);
	return 0;
}
