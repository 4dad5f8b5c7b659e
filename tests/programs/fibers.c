/*
 * What a program does besides locking: fibers have to do the same as threads, or leave it to a process.
 *
 *	fibers WHAT
 *
 * Every run ends with 0, unless memory is not what it is at the start of a program.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x) ((x) ? (void)0 : _exit(3))

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, begun;
static const char *what;

static int is(const char *name)
{
	return strcmp(what, name) == 0;
}

/* ---- in each thread ---- */

static __thread int own;
static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
	pthread_mutex_lock(&m);
	destroyed += value != NULL;
	pthread_mutex_unlock(&m);
}

static void allocate(void)
{
	char *blocks[50];

	for (int i = 0; i < 50; i++) {
		blocks[i] = malloc((size_t)i * 40 + 1);
		CHECK(blocks[i] != NULL);
		memset(blocks[i], i, (size_t)i * 40 + 1);
	}
	for (int i = 0; i < 50; i++) {
		CHECK(blocks[i][0] == i);
		if (i % 3)
			free(blocks[i]);
	}
}

static void jump(void)
{
	static __thread jmp_buf here;
	volatile int times = 0;

	if (setjmp(here) < 3) {
		times++;
		longjmp(here, times);
	}
	CHECK(times == 3);
}

static void mask(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, NULL, &old) == 0);
	CHECK(sigismember(&old, SIGUSR1) == 1 && sigismember(&old, SIGUSR2) == 0);
}

static void nest(void)
{
	static pthread_mutex_t nests = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	CHECK(pthread_mutex_lock(&nests) == 0 && pthread_mutex_lock(&nests) == 0);
	CHECK(pthread_mutex_unlock(&nests) == 0 && pthread_mutex_unlock(&nests) == 0);
}

static __attribute__((noinline)) void deep(int n)
{
	char frame[4000]; /* a page, of which little is touched */

	memset(frame, n, 16);
	__asm__ volatile("" ::"r"(frame) : "memory");
	if (n > 0)
		deep(n - 1);
	CHECK(frame[0] == (char)n && frame[15] == (char)n);
}

static void file(void)
{
	int fd = open("/dev/null", O_RDONLY);

	CHECK(fd > 2);
	close(fd);
}

static void map(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED && p[0] == 0);
	munmap(p, 4096);
}

static void conduct(void)
{
	int ends[2];
	char c = 1;

	CHECK(pipe(ends) == 0 && write(ends[1], &c, 1) == 1 && read(ends[0], &c, 1) == 1);
	close(ends[0]);
	close(ends[1]);
}

/* A word on the stack of one, which the other one changes as long as it is there. */
static void stacks(void)
{
	static long *shown;
	_Alignas(64) long mine = 0;

	pthread_mutex_lock(&m);
	if (shown)
		++*shown;
	else
		shown = &mine;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	mine |= 2;
	if (shown == &mine)
		shown = NULL;
	pthread_mutex_unlock(&m);
	CHECK((mine & ~1) == 2);
}

static void handled(int n)
{
	(void)n;
}

static void *thread(void *arg)
{
	if (is("errno")) {
		errno = 7;
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		CHECK(errno == 7);
	}
	CHECK(own++ == 0);
	if (is("key"))
		pthread_setspecific(key, arg);
	if (is("allocate"))
		allocate();
	if (is("jump"))
		jump();
	if (is("mask"))
		mask();
	if (is("nest"))
		nest();
	if (is("deep"))
		deep(50);
	if (is("deeper"))
		deep(1200);
	if (is("alloca"))
		memset(alloca(10000), 1, 10000);
	if (is("number"))
		CHECK(gettid() != getpid());
	if (is("file"))
		file();
	if (is("map"))
		map();
	if (is("pipe"))
		conduct();
	if (is("stacks"))
		stacks();
	if (is("print"))
		printf("a line\n");
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	if (is("leave"))
		pthread_exit(arg);
	return arg;
}

static void *sleeper(void *arg)
{
	pthread_mutex_lock(&m); /* main has it: it is a wait that is cancelled, or not begun */
	pthread_mutex_unlock(&m);
	return arg;
}

/* ---- main ---- */

static void before(void)
{
	pthread_t t;

	if (is("key"))
		pthread_key_create(&key, destroy);
	if (is("signal"))
		signal(SIGUSR1, handled);
	if (is("alarm"))
		alarm(100);
	if (is("cancel")) {
		pthread_mutex_lock(&m);
		pthread_create(&t, NULL, sleeper, NULL);
		pthread_cancel(t);
		pthread_mutex_unlock(&m);
		pthread_join(t, NULL);
	}
	if (is("fork")) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		CHECK(waitpid(child, NULL, 0) == child);
	}
	if (is("robust")) {
		pthread_mutexattr_t a;

		pthread_mutexattr_init(&a);
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&m, &a);
	}
	if (is("buffer")) {
		printf("x");
		CHECK(__fpending(stdout) == 1);
	}
}

static void run(int n)
{
	pthread_attr_t attr, *a = NULL;
	pthread_t t[2];
	void *r;

	pthread_attr_init(&attr);
	if (is("attribute")) {
		a = &attr;
		pthread_attr_setstacksize(a, 1 << 18);
	}
	if (is("detached")) {
		a = &attr;
		pthread_attr_setdetachstate(a, PTHREAD_CREATE_DETACHED);
	}
	for (int i = 0; i < n; i++)
		CHECK(pthread_create(&t[i], a, thread, &t[i]) == 0);
	for (int i = 0; i < n && !is("detached"); i++)
		CHECK(pthread_join(t[i], &r) == 0 && r == &t[i]);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	what = argv[1];
	CHECK(begun++ == 0);
	CHECK(count == 0 && own == 0);
	before();
	if (is("many")) {
		for (int i = 0; i < 3; i++)
			run(2);
	} else {
		run(2);
	}
	CHECK(is("detached") || count == (is("many") ? 6 : 2));
	CHECK(!is("key") || destroyed == 2);
	return 0;
}
