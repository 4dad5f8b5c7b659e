/*
 * Workers tell by a pipe that they are done.  Who reads it takes what is there, and goes another way for
 * each of them: the order of the calls decides.  t9030-kinds.sh
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../order.h"

static int p[2], x, reads, seen[3];

static void *worker(void *arg)
{
	char id = *(const char *)arg;
	int turn = id == 'b' ? 0 : id == 'c' ? 1 : 2;
	ssize_t n;

	x++;
	order_see(turn);
	n = write(p[1], &id, 1);
	order_at(turn);
	return n == 1 ? arg : NULL;
}

static void *collector(void *arg)
{
	char ids[3];
	int n = 0;

	while (n < 3) {
		ssize_t got = read(p[0], ids + n, sizeof(ids) - n);

		reads++;
		for (; got > 0; got--, n++)
			if (ids[n] == 'a')
				seen[0] = n;
			else if (ids[n] == 'b')
				seen[1] = n;
			else
				seen[2] = n;
	}
	x++;
	return arg;
}

int main(void)
{
	pthread_t t[4];

	if (pipe(p) != 0)
		return 1;
	pthread_create(&t[3], NULL, collector, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, (void *)&"abc"[i]);
	x++;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d reads, x %d\n", reads, x);
	return 0;
}
