/* Readers of a sequence lock sleep while it is being written, and look again. */
// deadlock none
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int sequence, value;

static void *first(void *arg)
{
	int before, seen;

	for (;;) {
		before = atomic_load(&sequence);
		seen = atomic_load(&value);
		if (before % 2 == 0 && before >= 4 && atomic_load(&sequence) == before)
			break;
		pthread_mutex_lock(&m);
		while (atomic_load(&sequence) == before && (before % 2 || before < 4))
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	}
	return seen ? arg : NULL;
}

static void turn(int by)
{
	pthread_mutex_lock(&m);
	atomic_fetch_add(&sequence, by);
	pthread_mutex_unlock(&m);
	pthread_cond_broadcast(&c);
}

static void *second(void *arg)
{
	for (int i = 0; i < 2; i++) {
		turn(1);
		atomic_fetch_add(&value, 1);
		turn(1);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, first, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
