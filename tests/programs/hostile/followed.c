/*
 * The recording goes along with a child.  Locks that name their owner were used before, when the thread
 * had another number: what the child takes of them it gives back, and the trace has it.
 *
 * In the child no thread ever waits for one lock while it holds another that somebody wants.
 */
// note: the recording went on with the child
// flags: order.o
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../order.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, robust, inherits;
static pthread_mutex_t nests = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int counts[7]; /* one for each lock */

static void attributes(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	pthread_mutexattr_destroy(&a);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inherits, &a);
	pthread_mutexattr_destroy(&a);
	pthread_spin_init(&spin, 0);
}

/* One after the other, never two at once. */
static int each(void)
{
	pthread_mutex_t *all[] = { &nests, &checks, &robust, &inherits };
	int bad = 0;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bad |= pthread_mutex_lock(all[i]);
		counts[i]++;
		bad |= pthread_mutex_unlock(all[i]);
	}
	bad |= pthread_rwlock_wrlock(&rw);
	counts[4]++;
	bad |= pthread_rwlock_unlock(&rw);
	bad |= pthread_rwlock_rdlock(&rw);
	bad |= pthread_rwlock_unlock(&rw);
	bad |= pthread_spin_lock(&spin);
	counts[5]++;
	bad |= pthread_spin_unlock(&spin);
	return bad;
}

/* Inside a lock of its own, in an order that main never has. */
static void *worker(void *arg)
{
	pthread_mutex_lock(&plain);
	*(int *)arg = each();
	counts[6]++;
	pthread_mutex_unlock(&plain);
	order_at(0);
	return NULL;
}

static int as_child(void)
{
	pthread_t t;
	int bad = 0;

	if (pthread_create(&t, NULL, worker, &bad) != 0)
		return 4;
	order_see(1);
	if (each() != 0)
		return 5;
	pthread_mutex_lock(&plain);
	counts[6]++;
	pthread_mutex_unlock(&plain);
	pthread_join(t, NULL);
	return bad != 0 ? 6 : counts[0] != 3 || counts[4] != 3 || counts[6] != 2 ? 7 : 0;
}

int main(int argc, char **argv)
{
	int status = 0;
	pid_t child;

	attributes();
	if (each() != 0)
		return 3;
	if (argc > 1 && strcmp(argv[1], "daemon") == 0)
		return daemon(1, 1) != 0 ? 8 : as_child();
	child = fork();
	if (child == 0)
		_exit(as_child());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 9;
}
