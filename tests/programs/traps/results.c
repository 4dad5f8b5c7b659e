/* libc leaves results where arguments point.  The second thread's reads of them bind, so the race
 * is predicted only where each of them is known to have been written. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
	int number, fds[2];
	short small;
	double real;
	char word[16], letters[3], set[8], *made;
	pthread_key_t key;
	struct stat file;
	struct tm when;
	char byte;
} all;
static ssize_t (*volatile by_pointer)(int, void *, size_t) = read;
static int used = 4, racy;

static void fill(void)
{
	time_t day = 86400;

	if (sscanf("12 7 2.5 hello abc xyz9 long", "%d %hd %lf %15s %3c %7[a-z]%*d %ms",
		   &all.number, &all.small, &all.real, all.word, all.letters, all.set,
		   &all.made) != 7)
		abort();
	pthread_key_create(&all.key, NULL);
	if (pipe(all.fds) != 0 || fstat(all.fds[0], &all.file) != 0)
		abort();
	gmtime_r(&day, &all.when);
	if (write(all.fds[1], "x", 1) != 1 || by_pointer(all.fds[0], &all.byte, 1) != 1)
		abort();
}

static void *reader(void *p)
{
	if (all.number != 12 || all.small != 7 || all.real != 2.5 || strcmp(all.word, "hello") ||
	    all.letters[2] != 'c' || strcmp(all.set, "xyz") || strcmp(all.made, "long") ||
	    !S_ISFIFO(all.file.st_mode) || all.when.tm_mday != 2 || all.byte != 'x' ||
	    all.fds[0] == all.fds[1] || pthread_getspecific(all.key) != NULL)
		abort();
	racy++;
	return p;
}

int main(int argc, char **argv)
{
	pthread_t t;

	memset(&all, 1, sizeof(all));
	while (getopt(argc, argv, "a:b:") != -1)
		used += (int)strlen(optarg) + optind;
	fill();
	pthread_create(&t, NULL, reader, NULL);
	racy++;
	pthread_join(t, NULL);
	printf("%d\n", used + racy);
	return 0;
}
