/*
 * Blocks that are whole, over and over: each under one hold of its locks, or of one that waits for a condition, which
 * ends it.  SPLIT: audit() is not.
 */
#include <foresee.h>
#include <pthread.h>

#define ROUNDS 150

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int balance = 1000, moved, stock, sum;

FORESEE_ATOMIC static void move(int by)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	if (balance >= by) {
		balance -= by;
		moved += by;
	}
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
}

static void audit(void)
{
	FORESEE_ATOMIC_BEGIN("audit");
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	sum = balance;
#ifdef SPLIT
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
#endif
	sum += moved;
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
	FORESEE_ATOMIC_END();
}

static void take(void)
{
	FORESEE_ATOMIC_BEGIN("take");
	pthread_mutex_lock(&m);
	while (stock == 0)
		pthread_cond_wait(&filled, &m);
	stock--;
	pthread_mutex_unlock(&m);
	FORESEE_ATOMIC_END();
}

static void put(void)
{
	FORESEE_ATOMIC_BEGIN("put");
	pthread_mutex_lock(&m);
	stock++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&m);
	FORESEE_ATOMIC_END();
}

static void *worker(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		move(1);
		take();
		audit();
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		put();
		audit();
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
