/* Two threads take turns by two conditions. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mine = PTHREAD_COND_INITIALIZER, yours = PTHREAD_COND_INITIALIZER;
int turn;

static void *first(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		while (turn != 0)
			pthread_cond_wait(&mine, &m);
		turn = 1;
		pthread_cond_signal(&yours);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *second(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		while (turn != 1)
			pthread_cond_wait(&yours, &m);
		turn = 0;
		pthread_cond_signal(&mine);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
