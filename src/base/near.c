#include "base/near.h"

unsigned near_distance(const char *a, const char *b)
{
	size_t n = strnlen(a, NEAR_WORD + 1), m = strnlen(b, NEAR_WORD + 1);
	unsigned row[3][NEAR_WORD + 1]; /* of the last three letters of a: i modulo 3 */

	if (n > NEAR_WORD || m > NEAR_WORD)
		return NEAR_WORD;
	for (size_t i = 0; i <= n; i++) {
		unsigned *now = row[i % 3];
		const unsigned *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		for (size_t j = 0; j <= m; j++) {
			unsigned best;

			if (i == 0 || j == 0) {
				now[j] = (unsigned)(i + j);
				continue;
			}
			best = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[n % 3][m];
}

const char *near_find(const char *word, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	unsigned best_distance = 3;
	size_t len = strlen(word);

	for (size_t i = 0; i < n; i++) {
		unsigned d = near_distance(word, candidates[i]);

		if (len >= 2 && strncmp(word, candidates[i], len) == 0)
			d = 1; /* an abbreviation */
		if (d < best_distance && d < strlen(candidates[i])) {
			best = candidates[i];
			best_distance = d;
		}
	}
	return best;
}
