/* Programs that do not want to be explored: hostile WHAT [THREADS].  t9102-explore-hostile.sh */
#define _GNU_SOURCE
#include <aio.h>
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
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

static char *wide; /* more words than there is room for */
#define WIDE (64u << 20)

static void *plain(void *arg)
{
	pthread_mutex_lock(&m);
	count++;
	if (wide)
		memset(wide, count, WIDE);
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

static sem_t posted;
static volatile sig_atomic_t handled;

static void posts(int n)
{
	handled = n;
	sem_post(&posted);
}

static void only_notes(int n)
{
	handled = n;
}

static void timer_posts(union sigval value)
{
	(void)value;
	sem_post(&posted);
}

static void has_timer(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = timer_posts };
	struct itimerspec at = { .it_value = { 0, 50000000 } };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &e, &timer) != 0 ||
	    timer_settime(timer, 0, &at, NULL) != 0)
		abort();
}

/* Told by a thread that libc makes, when somebody writes: nobody has yet. */
static void has_request(void)
{
	static char byte;
	static struct aiocb request;
	int ends[2];

	if (pipe(ends) != 0)
		abort();
	request = (struct aiocb){ .aio_fildes = ends[0], .aio_buf = &byte, .aio_nbytes = 1 };
	request.aio_sigevent.sigev_notify = SIGEV_THREAD;
	request.aio_sigevent.sigev_notify_function = timer_posts;
	if (aio_read(&request) != 0)
		abort();
}

/* Somebody posts, but no thread of the program; or a handler ends the wait. */
static void waits_for_signal(void)
{
	if (is("alarm"))
		alarm(1);
	if (is("timer"))
		has_timer();
	if (is("request"))
		has_request();
	if (is("child"))
		forks(1);
	while (sem_wait(&posted) != 0)
		if (is("interrupted") && handled)
			return;
}

/* Its owner ends: the next one has it. */
static void robust(pthread_mutex_t *q)
{
	static pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(q, &attr);
}

static void *odd(void *arg)
{
	if (is("alarm") || is("timer") || is("request") || is("child") || is("interrupted"))
		waits_for_signal();
	if (is("robust")) {
		pthread_mutex_lock(&own);
		return arg;
	}
	if (is("pipe"))
		from_pipe();
	if (is("outside"))
		syscall(SYS_pause); /* not seen */
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
	if (is("wide"))
		wide = malloc(WIDE);
	sem_init(&posted, 0, 0);
	signal(SIGALRM, is("alarm") ? posts : SIG_IGN);
	signal(SIGCHLD, is("child") ? posts : SIG_DFL);
	if (is("interrupted"))
		sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = only_notes }, NULL);
	if (is("robust"))
		robust(&own);
	for (int i = 0; i < n && i < MOST; i++)
		pthread_create(&t[i], NULL, i ? plain : odd, NULL);
	if (is("spin"))
		spun = 0;
	if (is("interrupted"))
		pthread_kill(t[0], SIGUSR1);
	if (is("robust") && pthread_mutex_lock(&own) == EOWNERDEAD)
		pthread_mutex_consistent(&own);
	if (is("robust"))
		pthread_mutex_unlock(&own);
	for (int i = 0; i < n && i < MOST; i++)
		pthread_join(t[i], NULL);
	return 0;
}
