/* A semaphore at two addresses, in what is left of mappings that have lost their first page, and their middle. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static char *here, *there;
int data;
volatile int sink;

static void *other(void *arg)
{
	sem_wait((sem_t *)(there + 2 * PAGE));
	sink = data;
	return arg;
}

int main(void)
{
	int file = memfd_create("parts", 0);
	pthread_t t;

	assert(file >= 0 && ftruncate(file, 3 * PAGE) == 0);
	here = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	there = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert(munmap(here, PAGE) == 0 && munmap(there + PAGE, PAGE) == 0);
	sem_init((sem_t *)(here + 2 * PAGE), 1, 0);
	pthread_create(&t, NULL, other, NULL);
	data = 1;
	sem_post((sem_t *)(here + 2 * PAGE));
	pthread_join(t, NULL);
	return 0;
}
