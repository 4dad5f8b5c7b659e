/* A bounded queue: two conditions, two producers, two consumers. */
// deadlock none
#include <pthread.h>

#define SIZE 2
#define ITEMS 5

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
int queue[SIZE], head, used;

static void *produce(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&m);
		while (used == SIZE)
			pthread_cond_wait(&not_full, &m);
		queue[(head + used++) % SIZE] = i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&m);
		while (used == 0)
			pthread_cond_wait(&not_empty, &m);
		head = (head + 1) % SIZE;
		used--;
		pthread_mutex_unlock(&m);
		pthread_cond_signal(&not_full);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i < 2 ? consume : produce, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
