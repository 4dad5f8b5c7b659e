/* A lock of a word and a futex: 0 free, 1 taken, 2 taken and somebody waits.  Unless FIXED who has waited says
 * that nobody waits any more, and the third is never woken. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef FIXED
#define AFTER_WAITING 2
#define THREADS 2 /* of three there are 88368 orders */
#else
#define AFTER_WAITING 1
#define THREADS 3
#endif

static atomic_int word;
static int sum;

static void take(void)
{
	int seen = 0;

	if (atomic_compare_exchange_strong(&word, &seen, 1))
		return;
	while (seen == 2 || atomic_exchange(&word, 2) != 0) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
		seen = 0;
		if (atomic_compare_exchange_strong(&word, &seen, AFTER_WAITING))
			return;
	}
}

static void give(void)
{
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *adder(void *arg)
{
	take();
	sum++;
	give();
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, adder, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return sum == THREADS ? 0 : 1;
}
