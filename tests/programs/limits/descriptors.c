/* Takes away descriptors that it does not know, in a given way, and goes on; prints what it counted. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CROWD 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *work(void *arg)
{
	for (long i = 0; i < 60000; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *together(void *all)
{
	pthread_barrier_wait(all);
	return work(NULL);
}

static void both(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* More at once than there were before, on stacks that need no memory of anybody. */
static void crowd(void)
{
	static char stacks[CROWD][1 << 18] __attribute__((aligned(4096)));
	static pthread_barrier_t all;
	pthread_attr_t a;
	pthread_t t[CROWD];

	pthread_barrier_init(&all, NULL, CROWD);
	for (int i = 0; i < CROWD; i++) {
		pthread_attr_init(&a);
		pthread_attr_setstack(&a, stacks[i], sizeof(stacks[i]));
		if (pthread_create(&t[i], &a, together, &all) != 0)
			exit(3);
	}
	for (int i = 0; i < CROWD; i++)
		pthread_join(t[i], NULL);
}

static int take(const char *how, const char *mine)
{
	if (strcmp(how, "close") == 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	} else if (strcmp(how, "closefrom") == 0) {
		closefrom(3);
	} else if (strcmp(how, "close_range") == 0) {
		syscall(SYS_close_range, 3, ~0u, 0);
	} else if (strcmp(how, "replace") == 0) { /* its own file under every number */
		int fd = open(mine, O_RDWR | O_CREAT | O_TRUNC, 0600);
		struct rlimit r;

		/* But for a few: where all are taken nobody can open anything. */
		getrlimit(RLIMIT_NOFILE, &r);
		for (int to = fd + 1; to < 1024 && (rlim_t)to + 8 < r.rlim_cur; to++)
			dup2(fd, to);
	} else if (strcmp(how, "exhaust") == 0) {
		while (open("/dev/null", O_RDONLY) >= 0)
			;
	} else if (strcmp(how, "chroot") == 0) {
		if (chroot("/proc/self/fdinfo") != 0)
			return 77;
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	} else if (strcmp(how, "memory") == 0) { /* no more address space than there is now */
		struct rlimit none = { 1, 1 };

		setrlimit(RLIMIT_AS, &none);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int r;

	if (argc != 3)
		return 2;
	both();
	r = take(argv[1], argv[2]);
	if (r != 0)
		return r;
	if (strcmp(argv[1], "memory") == 0)
		crowd();
	else
		both();
	printf("%ld\n", count);
	return 0;
}
