/* Letters through a mailbox that nobody sees.  The channel has the address of a mutex that is in
 * use: the two have nothing to do with each other. */
#include <pthread.h>
#include <stdio.h>

#include "family.h"

#define LETTERS 3

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int letter, back;

static void *post(void *arg)
{
	for (int i = 0; i < LETTERS; i++) {
		letter = i + 1;
		BEFORE(&door);
		pthread_mutex_lock(&door);
		pthread_mutex_unlock(&door);
		box_put(0, &letter);
		box_get(1);
		AFTER(&back);
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	int sum = 0;

	pthread_create(&t, NULL, post, NULL);
	for (int i = 0; i < LETTERS; i++) {
		int *got = box_get(0);

		AFTER(&door);
		sum += *got;
		*got = 0;
		BEFORE(&back);
		box_put(1, &back);
	}
	pthread_join(t, NULL);
	printf("%d\n", sum);
	return 0;
}
