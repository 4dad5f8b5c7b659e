/*
 * Two threads share out the bytes of a file, one each in turn; what they do depends on which they get.  In a
 * replay the second would read most of them, if it were not held.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../order.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int file, sum[2], last;

static void *reader(void *arg)
{
	int me = arg != NULL;
	char c;

	for (int i = 0; i < 4; i++) {
		for (volatile int k = 0; !me && k < 3000000; k++)
			;
		order_see(2 * i + me);
		if (read(file, &c, 1) != 1)
			return NULL;
		order_at(2 * i + me);
		pthread_mutex_lock(&m);
		if (c & 1)
			sum[me] += c;
		else
			sum[!me] -= c;
		pthread_mutex_unlock(&m);
	}
	last = me;
	return NULL;
}
int main(void)
{
	pthread_t t, u;

	file = open("bytes", O_RDONLY);
	pthread_create(&t, NULL, reader, NULL);
	pthread_create(&u, NULL, reader, &file);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("%d %d %d\n", sum[0], sum[1], last);
	return 0;
}
