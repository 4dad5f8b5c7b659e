/* Producer and consumer over a ring with two condition variables. */
#include <pthread.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER, item = PTHREAD_COND_INITIALIZER;
int ring[4], head, tail, sum;

static void *producer(void *arg)
{
	for (int i = 1; i <= 20; i++) {
		pthread_mutex_lock(&m);
		while (head - tail == 4)
			pthread_cond_wait(&room, &m);
		ring[head++ % 4] = i;
		pthread_cond_signal(&item);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 1; i <= 20; i++) {
		pthread_mutex_lock(&m);
		while (head == tail)
			pthread_cond_wait(&item, &m);
		sum += ring[tail++ % 4];
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, producer, NULL);
	pthread_create(&u, NULL, consumer, NULL);
	order_at(0);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return sum != 210;
}
