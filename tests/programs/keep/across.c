// No race, whatever part of its recording is looked at: sections are so long that most parts begin
// in the middle of some, with locks held in every way that there is.  With an argument one thread takes
// a lock and the other gives it back, which is not allowed, and works.
#include <foresee.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ROUNDS = 30, LONG = 40 };

static pthread_mutex_t nests, handed = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin[2]; // both in one word
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;
static atomic_int own; // a lock of our own; its order is what the annotations say
static long by_nests[4], by_spin[2][4], by_own[4], by_shared[4], by_handed[4], by_turn[4];
static int whose, ready, hands_over;

static void work(long *v)
{
	for (int i = 0; i < LONG; i++)
		v[i & 3] += v[(i + 1) & 3] + i;
}

static void get_ready(void)
{
	ready = 1;
}

static void own_lock(void)
{
	while (atomic_exchange_explicit(&own, 1, memory_order_relaxed))
		;
	FORESEE_LOCK_ACQUIRED(&own);
}

static void own_unlock(void)
{
	FORESEE_LOCK_RELEASES(&own);
	atomic_store_explicit(&own, 0, memory_order_relaxed);
}

static void in_turn(int me)
{
	pthread_mutex_lock(&turns);
	while (whose != me)
		pthread_cond_wait(&turn, &turns);
	work(by_turn);
	whose = 1 - me;
	pthread_cond_broadcast(&turn);
	pthread_mutex_unlock(&turns);
}

static void round_run(int me)
{
	pthread_mutex_lock(&nests);
	work(by_nests);
	pthread_mutex_lock(&nests);
	work(by_nests);
	pthread_mutex_unlock(&nests);
	work(by_nests);
	pthread_mutex_unlock(&nests);
	for (int k = 0; k < 2; k++) {
		pthread_spin_lock(&spin[k]);
		work(by_spin[k]);
		pthread_spin_unlock(&spin[k]);
	}
	own_lock();
	work(by_own);
	own_unlock();
	pthread_rwlock_wrlock(&shared);
	work(by_shared);
	pthread_rwlock_unlock(&shared);
	pthread_rwlock_rdlock(&shared);
	long sum = 0;
	for (int i = 0; i < LONG; i++)
		sum += by_shared[i & 3];
	pthread_rwlock_unlock(&shared);
	pthread_once(&once, get_ready);
	in_turn(me);
	if (sum == ready)
		abort();
	if (!hands_over)
		return;
	if (me == 0)
		pthread_mutex_lock(&handed);
	work(me == 0 ? by_handed : (long[4]){ 0 });
	in_turn(me);
	if (me == 1) {
		work(by_handed);
		pthread_mutex_unlock(&handed);
	}
}

static void *thread(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		round_run(arg != NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;
	pthread_mutexattr_t a;

	(void)argv;
	hands_over = argc > 1;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&nests, &a);
	pthread_spin_init(&spin[0], 0);
	pthread_spin_init(&spin[1], 0);
	pthread_create(&t, NULL, thread, &t);
	thread(NULL);
	return pthread_join(t, NULL);
}
