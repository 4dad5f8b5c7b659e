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

int sort_order_u32(const void *a, const void *b);
int sort_order_u64(const void *a, const void *b);

/* Ascending, each once.  Returns how many there are then. */
size_t sort_once(uint32_t *at, size_t n);

#endif /* BASE_SORT_H */
