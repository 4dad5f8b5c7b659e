/* Takes away descriptors that it does not know, in a given way, and goes on; prints what it counted. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static void both(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
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

		for (int to = fd + 1; to < 1024; to++)
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
	both(); /* without memory too: on the stacks that libc keeps of the first two */
	printf("%ld\n", count);
	return 0;
}
