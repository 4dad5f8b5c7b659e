/* Two threads race, one on all of a block, and what is printed is no text: t9032-replay-output.sh. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
	int before[5], same, after[5];
} from, to;

static void *again(void *unused)
{
	(void)unused;
	from.same = 7;
	return NULL;
}

int main(void)
{
	pthread_t t;
	char line[1000];

	from.same = 7;
	pthread_create(&t, NULL, again, NULL);
	memcpy(&to, &from, sizeof(to));
	pthread_join(t, NULL);
	memset(line, 'x', sizeof(line));
	printf("a\rb\033[2Jc\a%d\n%.*s\n", to.same, (int)sizeof(line), line);
	return 0;
}
