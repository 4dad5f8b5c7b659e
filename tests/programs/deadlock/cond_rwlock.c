/* A lock for readers and writers, made of a mutex and a condition. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int readers, writing, value;

static void read_lock(void)
{
	pthread_mutex_lock(&m);
	while (writing)
		pthread_cond_wait(&c, &m);
	readers++;
	pthread_mutex_unlock(&m);
}

static void read_unlock(void)
{
	pthread_mutex_lock(&m);
	if (--readers == 0)
		pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
}

static void *reader(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int seen;

		read_lock();
		seen = value;
		read_unlock();
		if (seen > 3)
			break;
	}
	return arg;
}

static void *writer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		while (writing || readers)
			pthread_cond_wait(&c, &m);
		writing = 1;
		pthread_mutex_unlock(&m);
		value++;
		pthread_mutex_lock(&m);
		writing = 0;
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, writer, NULL);
	pthread_create(&t[2], NULL, reader, NULL);
	pthread_create(&t[3], NULL, writer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
