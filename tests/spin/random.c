/* Prints the random tiny trace of a seed: random SEED, or behind it locks, counts, rereads or tests.  Of the
 * last two, each has a run of reads of which only the first and the closing one are there; reads that are
 * only compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny.h"

static bool has_reread(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].reread)
			return true;
	return false;
}

static bool has_test(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].cmp != TINY_NO_TEST)
			return true;
	return false;
}

static unsigned features_of_tests(uint64_t seed)
{
	static const unsigned more[] = { 0, TINY_ATOMICS, TINY_RWLOCKS, TINY_LOCKING };

	return TINY_TESTS | TINY_FACTS | TINY_VALUES | more[seed % 4];
}

int main(int argc, char **argv)
{
	static const unsigned features[] = {
		0,
		TINY_FACTS,
		TINY_FACTS | TINY_ATOMICS,
		TINY_RWLOCKS,
		TINY_FACTS | TINY_RWLOCKS | TINY_ATOMICS | TINY_HALVES,
	};
	uint64_t seed = argc >= 2 ? strtoull(argv[1], NULL, 0) : 0;
	bool counts = argc == 3 && strcmp(argv[2], "counts") == 0;
	bool rereads = argc == 3 && strcmp(argv[2], "rereads") == 0;
	bool tests = argc == 3 && strcmp(argv[2], "tests") == 0;
	unsigned locks = argc == 3 && !rereads && !tests && (!counts || seed % 4 == 0)
				 ? TINY_LOCKING | (seed % 4 ? 0 : TINY_TRIES)
				 : 0;
	char text[4096];
	struct tiny t;

	do {
		tiny_random(&t, seed, (locks || tests ? 12 : 8) + (int)(seed % 9),
			    tests ? features_of_tests(seed)
				  : features[seed % 5] | locks | (counts ? TINY_COUNTS : 0) |
					    (rereads ? TINY_REREADS : 0));
		seed += 1009;
	} while ((rereads && !has_reread(&t)) || (tests && !has_test(&t)));
	tiny_print(&t, text, sizeof(text));
	fputs(text, stdout);
	return 0;
}
