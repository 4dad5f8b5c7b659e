/* The threads take turns by a variable that says whose turn it is. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#define ROUNDS 3

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn; /* guarded by m */

static void await(int me)
{
	int now;

	for (;;) {
		pthread_mutex_lock(&m);
		now = turn;
		pthread_mutex_unlock(&m);
		if (now == me)
			return;
		sched_yield();
	}
}

static void pass(int to)
{
	pthread_mutex_lock(&m);
	turn = to;
	pthread_mutex_unlock(&m);
}

// deadlock none
static void *player(void *arg)
{
	int me = (int)(intptr_t)arg;
	pthread_mutex_t *p = me ? &b : &a, *q = me ? &a : &b;

	for (int i = 0; i < ROUNDS; i++) {
		await(me);
		pthread_mutex_lock(p);
		pthread_mutex_lock(q);
		pthread_mutex_unlock(q);
		pthread_mutex_unlock(p);
		pass(!me);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, player, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
