/*
 * What lies at two addresses, and the count of a semaphore, changes without a record: what comes behind a look at it is
 * no prediction.  "unsteady KIND race" has a race, for the other thread does not look before.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int *here, *there, *mine, *theirs;
static sem_t sem;
static int data, racy;
static const char *kind;

static int is(const char *name)
{
	return !strcmp(kind, name);
}

static void take(int *lock)
{
	int zero;

	do
		zero = 0;
	while (!__atomic_compare_exchange_n(lock, &zero, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}

static void tell(void)
{
	if (is("count"))
		sem_post(&sem);
	else
		__atomic_store_n(mine, !is("lock"), __ATOMIC_RELEASE);
}

static int is_told(void)
{
	int n;

	if (is("count"))
		return sem_getvalue(&sem, &n) == 0 && n == 1;
	if (is("lock"))
		take(theirs);
	return is("lock") || __atomic_load_n(theirs, __ATOMIC_ACQUIRE) == 1;
}

static void *other(void *arg)
{
	if (racy)
		data = 2;
	while (!is_told())
		sched_yield();
	data++;
	if (is("lock"))
		__atomic_store_n(theirs, 0, __ATOMIC_RELEASE);
	return arg;
}

int main(int argc, char **argv)
{
	int file = memfd_create("unsteady", 0);
	pthread_t t;

	kind = argc > 1 ? argv[1] : "flag";
	racy = argc > 2;
	if (ftruncate(file, 4096) != 0 || sem_init(&sem, 0, 0) != 0)
		return 1;
	here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	there = is("bare") ? (int *)syscall(SYS_mmap, NULL, 4096L, (long)(PROT_READ | PROT_WRITE),
					    (long)MAP_SHARED, (long)file, 0L)
		: is("moved") ? mremap(here, 0, 4096, MREMAP_MAYMOVE)
			      : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	mine = is("back") ? there : here;
	theirs = is("back") ? here : there;
	pthread_create(&t, NULL, other, NULL);
	if (racy)
		data = 1;
	if (is("lock"))
		take(mine);
	data++;
	tell();
	pthread_join(t, NULL);
	return 0;
}
