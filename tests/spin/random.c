/* Prints the random tiny trace of a seed: random SEED, or random SEED locks. */
#include <stdio.h>
#include <stdlib.h>

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
	unsigned locks = argc == 3 ? TINY_LOCKING | (seed % 4 ? 0 : TINY_TRIES) : 0;
	char text[4096];
	struct tiny t;

	tiny_random(&t, seed, (locks ? 12 : 8) + (int)(seed % 9), features[seed % 5] | locks);
	tiny_print(&t, text, sizeof(text));
	fputs(text, stdout);
	return 0;
}
