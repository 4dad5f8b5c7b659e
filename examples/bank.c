/*
 * Deposits that look at the balance in one section and store it in another: whoever comes between is forgotten, and
 * money is lost.
 *
 *	foresee guard -s examples/bank.spec examples/bank.c
 *
 * The spec says that a block is atomic: no other thread may know of a block while its owner is still in it.  In the
 * guarded program the second lock brings that news, the handler is called there, and the deposit looks again.
 */
#include <foresee.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define DEPOSITS 200
#define TELLERS 4

static long balance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int is_stale; /* what this thread has seen of the balance */
static int repaired;

void look_again(const struct foresee_violation *v);
void look_again(const struct foresee_violation *v)
{
	(void)v;
	is_stale = 1;
	__atomic_fetch_add(&repaired, 1, __ATOMIC_RELAXED);
}

static void deposit(long sum)
{
	long seen;

	FORESEE_ATOMIC_BEGIN("deposit");
	pthread_mutex_lock(&lock);
	seen = balance;
	pthread_mutex_unlock(&lock);
	sched_yield(); /* a computation of interest, say */
	pthread_mutex_lock(&lock);
	if (is_stale) {
		seen = balance;
		is_stale = 0;
	}
	balance = seen + sum;
	pthread_mutex_unlock(&lock);
	FORESEE_ATOMIC_END();
}

static void *teller(void *arg)
{
	for (int i = 0; i < DEPOSITS; i++)
		deposit(1);
	return arg;
}

int main(void)
{
	pthread_t tellers[TELLERS];

	for (int i = 0; i < TELLERS; i++)
		pthread_create(&tellers[i], NULL, teller, NULL);
	for (int i = 0; i < TELLERS; i++)
		pthread_join(tellers[i], NULL);
	printf("deposited %d, balance %ld, repaired %d\n", DEPOSITS * TELLERS, balance, repaired);
	return balance != DEPOSITS * TELLERS;
}
