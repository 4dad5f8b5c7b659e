/*
 * Binary search, in whatever order a reader has at hand.
 *
 *	size_t n = SEARCH_PAST(i, 0, v.n, v.at[i].pos < pos);
 *
 * is the first i in [0, v.n) with a position not below pos, or v.n where there is none.  Put
 * otherwise: so many come before pos, and where n is not 0 the last of them is v.at[n - 1].
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

/* The first i in [from, end) of which `before' is false, or end.  `before' is said of i; it must be
 * true of a first part of the range and false of the rest.  A macro, so that hot searches compare
 * in place. */
#define SEARCH_PAST(i, from, end, before)                                \
	({                                                               \
		__typeof__((end) + 0) search_low = (from);               \
		__typeof__((end) + 0) search_high = (end), i;            \
                                                                         \
		while (search_low < search_high) {                       \
			i = search_low + (search_high - search_low) / 2; \
			if (before)                                      \
				search_low = i + 1;                      \
			else                                             \
				search_high = i;                         \
		}                                                        \
		search_low;                                              \
	})

#endif /* BASE_SEARCH_H */
