/*
 * Random transfers between 1000 accounts, each with its own mutex; the lower
 * account is locked first.  The sum of all balances never changes.  Lock-heavy.
 *
 * BLOCKS: each transfer is a block that is meant to be atomic.
 */
#include "kernel.h"

#ifdef BLOCKS
#include <foresee.h>
#else
#define FORESEE_ATOMIC_BEGIN(name)
#define FORESEE_ATOMIC_END()
#endif

#define ACCOUNTS 1000

struct account {
	pthread_mutex_t lock;
	long balance;	/* guarded by lock */
	long transfers; /* guarded by lock */
};

static struct kernel kernel;
static struct account *accounts;

static void transfer(unsigned from, unsigned to, long amount)
{
	struct account *low = &accounts[from < to ? from : to];
	struct account *high = &accounts[from < to ? to : from];

	FORESEE_ATOMIC_BEGIN("transfer");
	pthread_mutex_lock(&low->lock);
	pthread_mutex_lock(&high->lock);
	if (accounts[from].balance >= amount) {
		accounts[from].balance -= amount;
		accounts[to].balance += amount;
	}
	accounts[from].transfers++;
	accounts[to].transfers++;
	pthread_mutex_unlock(&high->lock);
	pthread_mutex_unlock(&low->lock);
	FORESEE_ATOMIC_END();
}

static void *work(void *arg)
{
	uint64_t state = 88172645463325252u + (uint64_t)(intptr_t)arg;

	for (long i = 0; i < kernel.scale / kernel.threads; i++) {
		uint64_t r = kernel_random(&state);
		unsigned from = (unsigned)(r % ACCOUNTS);
		unsigned to = (unsigned)((r >> 20) % ACCOUNTS);

		if (from != to)
			transfer(from, to, (long)((r >> 40) % 100));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long balance = 0, transfers = 0;

	kernel = kernel_args(argc, argv, 2000000);
	accounts = kernel_alloc(ACCOUNTS, sizeof(*accounts));
	for (int i = 0; i < ACCOUNTS; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = 1000;
	}
	kernel_team(kernel.threads, work);
	for (int i = 0; i < ACCOUNTS; i++) {
		balance += accounts[i].balance;
		transfers += accounts[i].transfers;
		pthread_mutex_destroy(&accounts[i].lock);
	}
	printf("bank %ld: balance %ld, transfers %ld\n", kernel.scale, balance, transfers / 2);
	free(accounts);
	return 0;
}
