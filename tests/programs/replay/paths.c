/*
 * A race on x, and what may keep a replay from coming to it: PATHS in the environment says which way
 * the program goes this time.  t9010-replay-diverges.sh
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y, lines;
static const char *path;
static int turn; /* the file "turn" was there, and is not any more */

static int is(const char *name)
{
	return strcmp(path, name) == 0;
}

static void count(void)
{
	pthread_mutex_lock(&m);
	lines++;
	pthread_mutex_unlock(&m);
}

static void *writer(void *arg)
{
	int *to = is("elsewhere") ? &y : &x;

	if (is("branch") || (is("turns") && turn))
		y = 3;
	if (is("returns"))
		return arg;
	if (is("exits"))
		exit(4);
	if (is("crashes"))
		*(volatile int *)arg = 1;
	while (is("spins"))
		;
	if (is("sleeps"))
		pause();
	if (is("reads") && read(STDIN_FILENO, &path, 1) == 1)
		exit(5);
	*to = is("value") ? 2 : 1;
	count();
	return NULL;
}

static void *reader(void *arg)
{
	count();
	if (is("skips"))
		return arg;
	y = x;
	return NULL;
}

int main(void)
{
	const char *given = getenv("PATHS");
	pthread_t a, b;

	path = given ? given : "";
	turn = is("turns") && unlink("turn") == 0;
	pthread_create(&a, NULL, writer, NULL);
	if (!is("alone"))
		pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	if (!is("alone"))
		pthread_join(b, NULL);
	printf("x %d\n", x);
	return 0;
}
