/*
 * A file that is mapped: one thread writes to the file, the other one waits for it to show in
 * memory.  What came before the write is ordered before what comes after the wait.
 *
 *	mapped FILE WAY		WAY: pwrite, write, append, writev; fork: another process writes
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLAG 4000

static int fd, ordered, racy;
static volatile int *map;
static const char *way;

static void file_write(int value)
{
	struct iovec v[2] = { { &value, 2 }, { (char *)&value + 2, 2 } };
	ssize_t n;

	if (!strcmp(way, "pwrite")) {
		n = pwrite(fd, &value, 4, FLAG);
	} else if (!strcmp(way, "write")) {
		lseek(fd, FLAG, SEEK_SET);
		n = write(fd, &value, 4);
	} else if (!strcmp(way, "append")) {
		n = ftruncate(fd, FLAG) == 0 && fcntl(fd, F_SETFL, O_APPEND) == 0
			    ? write(fd, &value, 4)
			    : -1;
	} else {
		n = pwritev(fd, v, 2, FLAG);
	}
	if (n != 4)
		abort();
}

static void *writer(void *p)
{
	ordered = 1;
	file_write(7);
	racy++;
	return p;
}

static void other_process(void)
{
	if (fork() == 0) {
		for (int i = 0; i < 100; i++)
			map[1]++;
		map[FLAG / 4] = 7;
		_exit(0);
	}
	for (int i = 0; i < 100; i++)
		if (map[1] > 100)
			abort();
}

int main(int argc, char **argv)
{
	pthread_t t;

	way = argv[2];
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (argc != 3 || fd < 0 || ftruncate(fd, 8192) != 0)
		return 2;
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	map[FLAG / 4] = map[1] = 0;
	if (!strcmp(way, "fork"))
		other_process();
	else
		pthread_create(&t, NULL, writer, NULL);
	while (map[FLAG / 4] != 7)
		sched_yield();
	ordered++;
	racy++;
	if (!strcmp(way, "fork"))
		wait(NULL);
	else
		pthread_join(t, NULL);
	printf("%d %d\n", ordered, racy > 0); /* an increment may be lost */
	return 0;
}
