/* Prints the random tiny trace of a seed: random SEED, random SEED locks or random SEED counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny.h"

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
	unsigned locks = argc == 3 && (!counts || seed % 4 == 0)
				 ? TINY_LOCKING | (seed % 4 ? 0 : TINY_TRIES)
				 : 0;
	char text[4096];
	struct tiny t;

	tiny_random(&t, seed, (locks ? 12 : 8) + (int)(seed % 9),
		    features[seed % 5] | locks | (counts ? TINY_COUNTS : 0));
	tiny_print(&t, text, sizeof(text));
	fputs(text, stdout);
	return 0;
}
