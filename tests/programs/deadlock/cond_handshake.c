/* Two conditions: one for the question, one for the answer; signalled before the change, too. */
// deadlock none
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int question, answer;

static void *first(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		pthread_mutex_lock(&m);
		/* Before the change, but with the mutex held until after it. */
		pthread_cond_signal(&c);
		question = i;
		while (answer < i)
			pthread_cond_wait(&answered, &m);
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *second(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		pthread_mutex_lock(&m);
		while (question < i)
			pthread_cond_wait(&c, &m);
		answer = i;
		pthread_mutex_unlock(&m);
		pthread_cond_signal(&answered);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
