/*
 * What a recorder inside somebody else's program may meet: stacks of the program's own making,
 * stacks that move, handlers that interrupt, libraries that come and go, children, calls before
 * main and after it.  Prints what it always prints.
 *
 *	corners LIBRARY		one that has `void bump(pthread_mutex_t *, long *)'
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void bump(void)
{
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
}

__attribute__((constructor)) static void early(void)
{
	bump();
}

static void late(void)
{
	bump();
	printf("late %ld\n", count);
}

/* ---- stacks ---- */

static ucontext_t home, away;

static void coroutine(void)
{
	for (;;) {
		bump();
		swapcontext(&away, &home);
	}
}

/* At the very end of a mapping: there is nothing above. */
static void coroutines(void)
{
	static char stack[1 << 16] __attribute__((aligned(4096)));

	getcontext(&away);
	away.uc_stack.ss_sp = stack;
	away.uc_stack.ss_size = sizeof(stack);
	away.uc_link = &home;
	makecontext(&away, coroutine, 0);
	for (int i = 0; i < 100; i++)
		swapcontext(&home, &away);
}

/* Every depth is another stack; a frame of another size, every time. */
static void deep(int n)
{
	char *frame = __builtin_alloca((size_t)(n % 7) * 16 + 16);

	memset(frame, n, 16);
	bump();
	if (n > 0)
		deep(n - 1);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

/* ---- signals ---- */

static sem_t posted;
static sigjmp_buf back;

static void on_signal(int number)
{
	(void)number;
	sem_post(&posted);
}

static void on_jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void signals(void)
{
	struct sigaction a = { .sa_handler = on_signal };
	stack_t other = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };

	sigaltstack(&other, NULL);
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < 100; i++) {
		raise(SIGUSR1);
		sem_wait(&posted);
	}
	signal(SIGUSR2, on_jump);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR2);
	bump();
}

/* ---- threads, children, libraries ---- */

static void *work(void *arg)
{
	deep((int)(long)arg % 5);
	return NULL;
}

static void threads(void)
{
	pthread_t t[20];

	for (int round = 0; round < 50; round++) {
		for (long i = 0; i < 20; i++)
			pthread_create(&t[i], NULL, work, (void *)i);
		for (int i = 0; i < 20; i++)
			pthread_join(t[i], NULL);
	}
}

static void children(void)
{
	int status = 0;
	pid_t pid;
	pthread_t t;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		bump();
		pthread_create(&t, NULL, work, NULL);
		pthread_join(t, NULL);
		printf("child %ld\n", count - 1);
		exit(7);
	}
	waitpid(pid, &status, 0);
	printf("child's status %d\n", WEXITSTATUS(status));
	fflush(stdout);
	status = system("echo in a shell: ${LD_PRELOAD-nothing preloaded}");
}

static void libraries(const char *path)
{
	for (int i = 0; i < 20; i++) {
		void *library = dlopen(path, RTLD_NOW);
		void (*more)(pthread_mutex_t *, long *) =
			(void (*)(pthread_mutex_t *, long *))dlsym(library, "bump");

		more(&m, &count);
		dlclose(library);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	atexit(late);
	sem_init(&posted, 0, 0);
	coroutines();
	deep(200);
	signals();
	threads();
	children();
	libraries(argv[1]);
	printf("count %ld\n", count);
	return 3;
}
