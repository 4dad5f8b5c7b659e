/*
 * Orders for qsort, and arrays of numbers in order.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* -1, 0 or 1.  By several: SORT_ORDER(a->x, b->x) ?: SORT_ORDER(a->y, b->y). */
#define SORT_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* qsort may not be asked to sort nothing at no address, which is what an empty vec is. */
#define SORT_VEC(v, order) \
	((void)((v)->n && (qsort((v)->at, (v)->n, sizeof(*(v)->at), (order)), 1)))

/*
 * A counting sort: `put' is done for each of n items, in the order of their keys, which are below nkeys,
 * and of equal ones in their own; `sort_at' is how many come before it.  key and put are said of i.
 * start: [nkeys + 2], zeroes; then those with key k are start[k] .. start[k + 1].
 */
#define SORT_BY_KEY(start, nkeys, i, n, key, put)                        \
	do {                                                             \
		for (size_t i = 0; i < (n); i++)                         \
			(start)[(key) + 2]++;                            \
		for (size_t sort_k = 2; sort_k <= (nkeys) + 1; sort_k++) \
			(start)[sort_k] += (start)[sort_k - 1];          \
		for (size_t i = 0; i < (n); i++) {                       \
			size_t sort_at = (start)[(key) + 1]++;           \
                                                                         \
			put;                                             \
		}                                                        \
	} while (0)

/* Ascending; of many, in a time that grows as their number does, not faster. */
void sort_u64(uint64_t *at, size_t n);

int sort_order_u32(const void *a, const void *b);
int sort_order_u64(const void *a, const void *b);

/* Ascending, each once.  Returns how many there are then. */
size_t sort_once(uint32_t *at, size_t n);

#endif /* BASE_SORT_H */
