/* Addresses that one thread gives up become memory of System V, a library, and memory of another thread. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define SIZE (1 << 14)

static void *maps(void *arg)
{
	for (int i = 0; i < 30; i++) {
		char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		assert(p != MAP_FAILED);
		memset(p, i, SIZE);
		munmap(p, SIZE);
		usleep(500);
	}
	return arg;
}

static void *attaches(void *arg)
{
	for (int i = 0; i < 30; i++) {
		int id = shmget(IPC_PRIVATE, SIZE, 0600);
		char *p = shmat(id, NULL, 0);

		assert(p != (void *)-1);
		memset(p, i, SIZE);
		shmdt(p);
		shmctl(id, IPC_RMID, NULL);
		usleep(500);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, maps, NULL);
	pthread_create(&u, NULL, attaches, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
