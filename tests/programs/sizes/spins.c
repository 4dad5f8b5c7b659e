/*
 * spins HOW N [PAUSE]: a thread looks N times at a word that does not change, and once more when it has.
 * spins HOW 0: it looks until the program is killed.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

static volatile int plain;
static atomic_int word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *const ways[] = { "plain", "relaxed",	    "acquire", "seq_cst",
				    "cas",   "cas_relaxed", "weak" };
static int way, rounds, pauses;

static int sees(int how)
{
	int none = 1;

	switch (how) {
	case 0:
		return plain;
	case 1:
		return atomic_load_explicit(&word, memory_order_relaxed);
	case 2:
		return atomic_load_explicit(&word, memory_order_acquire);
	case 3:
		return atomic_load(&word);
	case 4:
		return atomic_compare_exchange_strong(&word, &none, 2);
	case 5:
		return atomic_compare_exchange_strong_explicit(
			&word, &none, 2, memory_order_relaxed, memory_order_relaxed);
	default:
		return atomic_compare_exchange_weak_explicit(&word, &none, 2, memory_order_release,
							     memory_order_relaxed);
	}
}

static void *spin(void *arg)
{
	int how = way, n = rounds, pause = pauses;

	/* So that what follows does not hang on how the reads before it went on. */
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	order_me();
	for (int i = 0; n == 0 || i < n; i = n == 0 ? 0 : i + 1) {
		if (sees(how))
			abort();
		if (pause)
			sched_yield();
	}
	order_at(0);
	order_see(2);
	while (!sees(how))
		;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	while (strcmp(ways[way], argv[1]) != 0)
		way++;
	rounds = atoi(argv[2]);
	pauses = argc > 3;
	pthread_create(&t, NULL, spin, NULL);
	if (rounds == 0) {
		order_spins();
		raise(SIGKILL);
	}
	order_see(1);
	plain = 1;
	atomic_store(&word, 1);
	order_at(1);
	pthread_join(t, NULL);
	return 0;
}
