/* Standard streams closed, by whoever started it (argument 0) or by itself: what it opens gets their
 * numbers, and nothing of a recorder's may land there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *arg)
{
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct stat st;
	pthread_t t[2];
	int fd[3];

	if (argc == 1)
		for (int i = 0; i < 3; i++)
			close(i);
	for (int i = 0; i < 3; i++)
		fd[i] = open("streams.out", O_RDWR | O_CREAT | (i == 0 ? O_TRUNC : 0), 0600);
	if (fd[0] != 0 || fd[1] != 1 || fd[2] != 2)
		return 10 + fd[0];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (write(1, "here", 4) != 4 || fstat(0, &st) != 0)
		return 2;
	return st.st_size != 4;
}
