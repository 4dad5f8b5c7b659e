/* Locks of files that a close gives back, of both kinds. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static char path[] = "/tmp/foresee-lock.XXXXXX";
int data, other;

static void *adds(void *arg)
{
	for (int i = 0; i < 5; i++) {
		struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
		int fd = open(path, O_RDWR);

		while (flock(fd, LOCK_EX) != 0)
			;
		data++;
		close(fd);
		fd = open(path, O_RDWR);
		while (fcntl(fd, F_OFD_SETLKW, &all) != 0)
			;
		other++;
		close_range((unsigned)fd, (unsigned)fd, 0);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;
	int fd = mkstemp(path);

	assert(fd >= 0);
	pthread_create(&t, NULL, adds, NULL);
	pthread_create(&u, NULL, adds, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	unlink(path);
	return 0;
}
