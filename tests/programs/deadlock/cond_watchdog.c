/* Signals are sent too early at times; a watchdog sends them again if nothing moves. */
// deadlock none
// warned lost-wakeup
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready, moved;

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	if (!atomic_load(&ready))
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	atomic_store(&moved, 1);
	return arg;
}

static void *second(void *arg)
{
	atomic_store(&ready, 1);
	pthread_cond_signal(&c);
	return arg;
}

static void *watchdog(void *arg)
{
	for (usleep(3000); !atomic_load(&moved); usleep(1000)) {
		pthread_mutex_lock(&m);
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, watchdog, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
