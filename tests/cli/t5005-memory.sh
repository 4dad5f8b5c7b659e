#!/usr/bin/env bash
# The recorder's memory is bounded: beside the program's own and its shadow, which is as large as what the
# program touches, 128 MiB.  Here more threads than that allows read so much again that each would have the
# largest table of repeated reads.
. "$(dirname "$0")/../lib.sh"

cat >readers.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 24
#define WORDS (1 << 18)

static pthread_barrier_t all;
static volatile long *words;

static void *reads(void *arg)
{
	long same = 0;

	pthread_barrier_wait(&all); /* so that the tables grow at the same time */
	for (int round = 0; round < 3; round++)
		for (unsigned i = 0; i < WORDS; i++)
			same += words[i * 5 % WORDS] == 0;
	pthread_barrier_wait(&all); /* the threads, and their tables, end together */
	return same == 3 * WORDS ? arg : NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	char line[100];
	FILE *f;

	words = calloc(WORDS, sizeof(*words));
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, reads, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			printf("%ld\n", strtol(line + 6, NULL, 10) / 1024);
	return 0;
}
END
foresee-cc -O1 -g -w -pthread readers.c -o readers || exit 2
./readers >native || exit 2
touched=2
native=$(<native) recorded=0
for ((i = 0; i < 3; i++)); do # who grows when is a matter of chance
	run foresee record -q -o t.foresee ./readers
	is "$status" 0 "records"
	[ "$(<out)" -le $recorded ] || recorded=$(<out)
done
ok "$recorded MiB, no more than 128 beside the program ($native) and its shadow" test "$recorded" -le $((native + touched + 128))
ok "and the tables are as large as they may be" test "$recorded" -ge $((native + touched + 64))
done_testing
