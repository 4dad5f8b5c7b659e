/* Everybody is woken all the time, mostly for nothing. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;

static void *player(void *arg)
{
	int me = (int)(long)arg;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		pthread_cond_broadcast(&c);
		while (turn % 3 != me) {
			pthread_cond_broadcast(&c);
			pthread_cond_wait(&c, &m);
		}
		pthread_cond_broadcast(&c);
		turn++;
		pthread_mutex_unlock(&m);
		pthread_cond_broadcast(&c);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, player, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
