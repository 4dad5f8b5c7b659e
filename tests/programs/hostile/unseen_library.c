/* What unseen_memory.c calls; built without foresee. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_t filler;
static volatile int stop;
static char *volatile area;
static int room;

void library_fill(char *p, int n, int with)
{
	memset(p, with, (size_t)n);
}

static void *fill(void *arg)
{
	for (char c = 4; !stop; c = c < 100 ? c + 1 : 4) {
		memset(area, c, (size_t)room);
		usleep(10);
	}
	return arg;
}

void library_begin(char *p, int n)
{
	area = p;
	room = n;
	pthread_create(&filler, NULL, fill, NULL);
}

void library_end(void)
{
	stop = 1;
	pthread_join(filler, NULL);
}

int library_each(char *p, int n, int (*f)(int, void *), void *arg)
{
	int r = 0;

	for (int i = 0; i < n; i++) {
		p[i]++;
		r += f(p[i], arg);
	}
	return r;
}
