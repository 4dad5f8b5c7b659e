/* What a program may do that no recorder sees: built by the plain compiler.  attack.c, attack_waits.c */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *attack;
static volatile int flag;
static int word, ends[2];

static int is(const char *name)
{
	return strcmp(attack, name) == 0;
}

int attack_number(const char *name, int otherwise)
{
	const char *given = getenv(name);

	return given ? atoi(given) : otherwise;
}

/* ---- memory and files that are foresee's ---- */

/* All that is shared with another process. */
static void spoil(int byte)
{
	uintptr_t from[64], to[64];
	char line[512], mode[8];
	FILE *maps = fopen("/proc/self/maps", "r");
	int n = 0;

	while (maps && n < 64 && fgets(line, sizeof(line), maps))
		n += sscanf(line, "%lx-%lx %7s", &from[n], &to[n], mode) == 3 && mode[3] == 's';
	if (maps)
		fclose(maps);
	while (n-- > 0) {
		if (mprotect((void *)from[n], to[n] - from[n], PROT_READ | PROT_WRITE) != 0)
			continue;
		for (unsigned char *at = (void *)from[n]; at < (unsigned char *)to[n]; at++)
			*at = byte < 256 ? (unsigned char)byte
					 : (unsigned char)(*at ^ (byte & 255));
	}
}

/* The file of that name beside the trace. */
static const char *ours(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path) - 32, "%s", getenv("FORESEE_TRACE"));
	strcpy(strrchr(path, '/') + 1, name);
	return path;
}

static void replace(const char *path, int pipe)
{
	remove(path);
	if ((pipe ? mkfifo(path, 0600) : mkdir(path, 0700)) != 0)
		exit(99);
}

/* ---- on the way ---- */

static void limit(int what, rlim_t to)
{
	struct rlimit r = { to, to };

	setrlimit(what, &r);
}

/* ---- who rings later: a clock, another process ---- */

static int *bell; /* a futex, of the children as well */

static void rings(int number)
{
	(void)number;
	__atomic_store_n(bell, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int has_bell(void)
{
	return is("alarm") || is("interval") || is("signal-timer") || is("child-posts") ||
	       is("child-kills");
}

static void ring_later(void)
{
	static const struct itimerval at = { .it_value = { 1, 0 } };
	static const struct itimerspec then = { .it_value = { 1, 0 } };
	static struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	if (!has_bell())
		return;
	bell = mmap(NULL, sizeof(*bell), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	signal(SIGALRM, rings);
	if (is("alarm"))
		alarm(1);
	if (is("interval"))
		setitimer(ITIMER_REAL, &at, NULL);
	if (is("signal-timer") && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &then, NULL);
	if ((is("child-posts") || is("child-kills")) && fork() == 0) {
		usleep(1500000);
		if (is("child-posts"))
			rings(0);
		else
			kill(getppid(), SIGALRM);
		_exit(0);
	}
}

static void *idle(void *arg)
{
	return arg;
}

void attack_start(void)
{
	attack = getenv("ATTACK") ? getenv("ATTACK") : "";
	if (is("zeros"))
		spoil(0);
	if (is("ones"))
		spoil(255);
	if (is("flips"))
		spoil(256 + 1);
	if (is("trace-is-pipe"))
		replace(getenv("FORESEE_TRACE"), 1);
	if (is("output-is-pipe"))
		replace(ours("out1"), 1);
	if (is("trace-is-directory"))
		replace(getenv("FORESEE_TRACE"), 0);
	if (is("options"))
		setenv("FORESEE_OPTIONS", "control=/nowhere\n", 1);
	if (is("closes"))
		for (int fd = 0; fd < 256; fd++)
			close(fd);
	ring_later();
	if (is("no-files"))
		limit(RLIMIT_NOFILE, 3);
	if (is("no-memory"))
		limit(RLIMIT_AS, 1 << 20);
	if (is("blocks")) {
		sigset_t all;

		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		for (;;)
			pause();
	}
	if (is("daemon") && daemon(1, 0) != 0)
		exit(99);
	if (is("child")) {
		int status, pid = fork();

		if (pid != 0) {
			waitpid(pid, &status, 0);
			exit(0);
		}
	}
	if (is("another-thread")) {
		pthread_t t;

		pthread_create(&t, NULL, idle, NULL);
		pthread_join(t, NULL);
	}
	if ((is("pipe") && pipe(ends) != 0) ||
	    (is("socket") && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0))
		exit(99);
}

int attack_writer(void)
{
	char c;

	if (is("returns"))
		return 1;
	if (is("child-goes-on"))
		return fork() != 0;
	if (is("spins"))
		while (!flag)
			sched_yield();
	if (is("futex"))
		while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
			syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	if ((is("pipe") || is("socket")) && read(ends[0], &c, 1) != 1)
		exit(99);
	if (is("signal")) {
		sigset_t one;
		int number;

		sigemptyset(&one);
		sigaddset(&one, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &one, NULL);
		sigwait(&one, &number);
	}
	if (is("exec"))
		execl("/bin/sleep", "sleep", "1000", (char *)NULL);
	if (is("thread-exit"))
		syscall(SYS_exit, 0);
	if (is("exit"))
		syscall(SYS_exit_group, 3);
	if (is("quick-exit"))
		quick_exit(3);
	if (is("aborts"))
		abort();
	if (is("seccomp"))
		prctl(PR_SET_SECCOMP, 1 /* strict */);
	return 0;
}

void attack_behind(void)
{
	flag = 1;
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE, 100, NULL, NULL, 0);
	if ((is("pipe") || is("socket")) && write(ends[1], "", 1) != 1)
		exit(99);
	if (is("signal"))
		kill(getpid(), SIGUSR1);
}

/* ---- behind the point: orders that differ ---- */

void attack_end(int seen)
{
	if (is("prints-pid") || is("prints-pid-and-dies"))
		printf("%d\n", (int)getpid());
	fflush(stdout);
	if (is("prints-pid-and-dies") && seen)
		abort();
}

void attack_reset(int *p)
{
	if (is("resets"))
		*(volatile int *)p = 0;
}

/* ---- waits ---- */

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec++;
	return t;
}

int attack_lock(pthread_mutex_t *m)
{
	struct timespec until = soon(CLOCK_REALTIME);

	if (attack && is("timed-lock"))
		return pthread_mutex_timedlock(m, &until);
	if (attack && is("tries")) {
		for (int i = 0; i < 100000; i++)
			if (pthread_mutex_trylock(m) == 0)
				return 0;
		return EBUSY;
	}
	return pthread_mutex_lock(m);
}

int attack_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	struct timespec until = soon(CLOCK_REALTIME);

	return attack && is("timed-wait") ? pthread_cond_timedwait(c, m, &until)
					  : pthread_cond_wait(c, m);
}

/* Longer than anybody looks, by a call with a limit.  1: and then signal once more. */
int attack_nap(void)
{
	struct timespec until = soon(CLOCK_REALTIME), second = { 1, 0 };
	struct timeval also = { 1, 0 }, longer = { 1, 500000 };
	char eight[8];
	sigset_t none;
	sem_t never;
	int fd;

	sigemptyset(&none);
	sem_init(&never, 0, 0);
	if (is("semaphore"))
		sem_timedwait(&never, &until);
	else if (is("futex-limit"))
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &second, NULL, 0);
	else if (is("poll"))
		syscall(SYS_poll, NULL, 0, 1000);
	else if (is("select"))
		syscall(SYS_select, 0, NULL, NULL, NULL, &also);
	else if (is("sigtimedwait"))
		sigtimedwait(&none, NULL, &second);
	else if (is("timer")) {
		struct itimerspec in = { .it_value = second };

		fd = timerfd_create(CLOCK_MONOTONIC, 0);
		timerfd_settime(fd, 0, &in, NULL);
		if (read(fd, eight, 8) != 8)
			exit(99);
	} else if (is("socket-limit")) {
		socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
		setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &longer, sizeof(longer));
		if (recv(ends[0], eight, 8, 0) >= 0)
			exit(99);
	} else if (has_bell()) {
		while (!__atomic_load_n(bell, __ATOMIC_SEQ_CST))
			syscall(SYS_futex, bell, FUTEX_WAIT, 0, NULL, NULL, 0);
	} else if (is("dies")) {
		abort();
	} else {
		return 0;
	}
	return 1;
}
