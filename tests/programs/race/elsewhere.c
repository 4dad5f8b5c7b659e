/*
 * Semaphores, mutexes and barriers in memory that has two addresses, or that a child shares: what goes through there
 * is in order.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static struct at {
	sem_t sem;
	pthread_mutex_t m;
	pthread_barrier_t first, second;
} * here, *there, *child, *attached, *attached_too;

int by_sem, by_mutex, by_child, by_shm;
volatile int sink;

static void *one(void *arg)
{
	usleep(1000);
	by_sem = 1;
	sem_post(&here->sem);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&here->m);
		by_mutex++;
		pthread_mutex_unlock(&here->m);
		usleep(100);
	}
	by_child = 1;
	pthread_barrier_wait(&child->first);
	usleep(1000);
	by_shm = 1;
	sem_post(&attached->sem);
	return arg;
}

static void *two(void *arg)
{
	sem_wait(&there->sem);
	sink = by_sem;
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&there->m);
		by_mutex++;
		pthread_mutex_unlock(&there->m);
		usleep(100);
	}
	pthread_barrier_wait(&child->second);
	sink = by_child;
	sem_wait(&attached_too->sem);
	sink = by_shm;
	return arg;
}

int main(void)
{
	int file = memfd_create("elsewhere", 0), id = shmget(IPC_PRIVATE, 4096, 0600);
	pthread_mutexattr_t attr;
	pthread_barrierattr_t shared;
	pthread_t t, u;
	pid_t p;

	assert(file >= 0 && ftruncate(file, 4096) == 0 && id >= 0);
	here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	child = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	attached = shmat(id, NULL, 0);
	attached_too = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	sem_init(&here->sem, 1, 0);
	sem_init(&attached->sem, 1, 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&here->m, &attr);
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&child->first, &shared, 2);
	pthread_barrier_init(&child->second, &shared, 2);
	p = fork();
	if (p == 0) {
		pthread_barrier_wait(&child->first);
		pthread_barrier_wait(&child->second);
		_exit(0);
	}
	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, two, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	waitpid(p, NULL, 0);
	return 0;
}
