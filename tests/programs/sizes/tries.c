/*
 * tries HOW N [READS]: two threads try N times in vain, and then until they succeed.
 * tries HOW 0: until the program is killed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "order.h"

typedef unsigned __int128 wide;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static atomic_int word = 1, go_on;
static atomic_flag flag;
static _Alignas(16) wide both = 1;
static pthread_t sleeper;
static const char *const ways[] = { "mutex", "timed",	 "reader", "writer", "spin",   "sem",
				    "join",  "exchange", "flag",   "cas16",  "load16", NULL };
static int way, rounds, reads, data;

static int gets(int how)
{
	static const struct timespec past;
	wide none = 0;

	switch (how) {
	case 0:
		return pthread_mutex_trylock(&mutex) == 0;
	case 1:
		return pthread_mutex_timedlock(&mutex, &past) == 0;
	case 2:
		return pthread_rwlock_tryrdlock(&rwlock) == 0;
	case 3:
		return pthread_rwlock_trywrlock(&rwlock) == 0;
	case 4:
		return pthread_spin_trylock(&spin) == 0;
	case 5:
		return sem_trywait(&sem) == 0;
	case 6:
		return pthread_tryjoin_np(sleeper, NULL) == 0;
	case 7:
		return atomic_exchange_explicit(&word, 1, memory_order_acquire) == 0;
	case 8:
		return !atomic_flag_test_and_set(&flag);
	case 9:
		return __atomic_compare_exchange_n(&both, &none, (wide)1, 0, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	default:
		return __atomic_load_n(&both, __ATOMIC_ACQUIRE) == 0;
	}
}

static void gives(int how)
{
	switch (how) {
	case 0:
	case 1:
		pthread_mutex_unlock(&mutex);
		break;
	case 2:
	case 3:
		pthread_rwlock_unlock(&rwlock);
		break;
	case 4:
		pthread_spin_unlock(&spin);
		break;
	case 5:
		sem_post(&sem);
		break;
	case 6: /* a thread is not given back */
		break;
	case 7:
		atomic_store(&word, 0);
		break;
	case 8:
		atomic_flag_clear(&flag);
		break;
	default:
		__atomic_store_n(&both, (wide)0, __ATOMIC_RELEASE);
	}
}

static void *tries(void *arg)
{
	int how = way, n = rounds, looks = reads;

	pthread_mutex_lock(&gate); /* what follows does not hang on the reads before it */
	pthread_mutex_unlock(&gate);
	order_me();
	data++;
	for (int i = 0; n == 0 || i < n; i = n == 0 ? 0 : i + 1) {
		if (gets(how))
			abort();
		if (looks && !atomic_load(&go_on))
			break;
	}
	order_at(arg ? 1 : 0);
	order_see(3);
	while (!gets(how))
		;
	gives(how);
	return arg;
}

static void *sleep_on(void *arg)
{
	order_see(3);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

static void take_all(void)
{
	pthread_spin_init(&spin, 0);
	sem_init(&sem, 0, 0);
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	pthread_spin_lock(&spin);
	atomic_flag_test_and_set(&flag);
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	int n = 2;

	while (strcmp(ways[way], argv[1]) != 0)
		way++;
	rounds = atoi(argv[2]);
	reads = argc > 3;
	atomic_store(&go_on, argc);
	if (way == 6 || rounds == 0)
		n = 1;
	take_all();
	pthread_create(&sleeper, NULL, sleep_on, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, tries, i == 0 ? NULL : &t);
	if (rounds == 0) {
		order_spins();
		raise(SIGKILL);
	}
	order_see(n);
	if (n == 1)
		order_at(1);
	gives(way);
	order_at(2);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	if (way != 6)
		pthread_join(sleeper, NULL);
	return data == 0;
}
