// What is read twice in a section, or compared there, cannot have changed.
//spec shared int x;
//spec shared int verdict;
//spec property same: ptltl verdict != 2;
//spec property sum: ptltl verdict == 3 -> once x >= 1;
#include <pthread.h>

int verdict;
volatile int x;
static int y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		x++;
		y++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *look(void *arg)
{
	for (int i = 0; i < 4; i++) {
		int sum = 0;

		pthread_mutex_lock(&m);
		for (int k = 0; k < 10; k++)
			sum += x;
		if (sum != 10 * y)
			verdict = 2;
		else if (sum)
			verdict = 3;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, change, NULL);
	pthread_create(&t[1], NULL, look, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
