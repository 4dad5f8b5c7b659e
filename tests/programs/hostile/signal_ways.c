/* Every way to get a signal: once only, again within itself, by number, waited for, through a
 * descriptor, from a timer as a signal and as a thread, on a stack as small as the kernel allows. */
// perhaps open
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int depth, deepest, once, small, fired;
static int data;

static void again(int n)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < 5)
		raise(n);
	depth--;
}

static void one_shot(int n)
{
	(void)n;
	once++;
}

static void on_small_stack(int n)
{
	(void)n;
	small++;
	data++;
}

static void by_thread(union sigval v)
{
	(void)v;
	pthread_mutex_lock(&lock);
	fired++;
	pthread_mutex_unlock(&lock);
}

static void handlers(void)
{
	struct sigaction a = { .sa_handler = again, .sa_flags = SA_NODEFER }, old;
	struct sigaction b = { .sa_handler = one_shot, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	assert(deepest == 5 && depth == 0);
	sigaction(SIGUSR2, &b, NULL);
	raise(SIGUSR2);
	sigaction(SIGUSR2, NULL, &old);
	assert(once == 1 && old.sa_handler == SIG_DFL);
}

/* What the kernel stores of the CPU when a signal comes: 1.8 kB here, 12 kB where it has tiles.  LEAST
 * makes this one like such a machine. */
static size_t least_stack(void)
{
#ifdef LEAST
	return LEAST;
#else
	return getauxval(AT_MINSIGSTKSZ);
#endif
}

/* Between two pages that nobody may touch. */
static void small_stack(void)
{
	size_t size = least_stack() + 2048, whole = (size + 4095) & ~4095ul;
	char *page = mmap(NULL, whole + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t alt = { .ss_sp = page + 4096 + whole - size, .ss_size = size };
	struct sigaction a = { .sa_handler = on_small_stack, .sa_flags = SA_ONSTACK };

	assert(page != MAP_FAILED && mprotect(page + 4096, whole, PROT_READ | PROT_WRITE) == 0);
	assert(sigaltstack(&alt, NULL) == 0);
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	assert(small == 100);
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
	munmap(page, whole + 8192);
}

static void *waiter(void *arg)
{
	sigset_t set;
	int n;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	while (sigwait(&set, &n) == 0 && n == SIGRTMIN) {
		pthread_mutex_lock(&lock);
		*(int *)arg += 1;
		n = *(int *)arg;
		pthread_mutex_unlock(&lock);
		if (n == 10)
			break;
	}
	return NULL;
}

static void *descriptor(void *arg)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	for (int i = 0; i < 10; i++)
		if (read(fd, &info, sizeof(info)) == sizeof(info))
			*(int *)arg += (int)info.ssi_int;
	close(fd);
	return NULL;
}

static void timers(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = by_thread };
	struct itimerspec soon = { .it_value = { 0, 1000000 }, .it_interval = { 0, 1000000 } };
	timer_t t;
	int n = 0;

	assert(timer_create(CLOCK_MONOTONIC, &e, &t) == 0);
	timer_settime(t, 0, &soon, NULL);
	while (n < 5) {
		poll(NULL, 0, 1);
		pthread_mutex_lock(&lock);
		n = fired;
		pthread_mutex_unlock(&lock);
	}
	timer_delete(t);
}

int main(void)
{
	int waited = 0, read = 0;
	pthread_t w, d;
	sigset_t set;

	handlers();
	small_stack();
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGRTMIN + 1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&w, NULL, waiter, &waited);
	pthread_create(&d, NULL, descriptor, &read);
	for (int i = 0; i < 10; i++) {
		pthread_kill(w, SIGRTMIN);
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ .sival_int = 3 });
	}
	pthread_join(w, NULL);
	pthread_join(d, NULL);
	timers();
	return waited != 10 || read != 30;
}
