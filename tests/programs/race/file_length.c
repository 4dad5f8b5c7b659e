/* The length of a file says that the data is there, to whoever seeks to its end or asks for it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;
int first, second;
volatile int sink;

static void *makes(void *arg)
{
	first = 1;
	assert(ftruncate(file, 10) == 0);
	second = 1;
	assert(ftruncate(file, 20) == 0);
	return arg;
}

static void *looks(void *arg)
{
	struct stat st;

	while (lseek(file, 0, SEEK_END) < 10)
		usleep(100);
	sink = first;
	do
		assert(fstat(file, &st) == 0);
	while (st.st_size < 20);
	sink = second;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	file = memfd_create("length", 0);
	assert(file >= 0);
	pthread_create(&t, NULL, looks, NULL);
	pthread_create(&u, NULL, makes, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
