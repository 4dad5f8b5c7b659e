/*
 * Growing arrays.  VEC(struct thing) v = {0}; *VEC_PUSH(&v) = x; v.at[i];
 * v.n; VEC_RELEASE(&v).
 *
 * A pointer into a vec dies with the next push: keep the index.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <string.h>

#include "base/mem.h"

#define VEC(T)                   \
	struct {                 \
		T *at;           \
		size_t n;        \
		size_t capacity; \
	}

/* The question is asked here and not in a call: most pushes find room. */
#define VEC_RESERVE(v, need)              \
	((void)((need) > (v)->capacity && \
		((v)->at = mem_grow((v)->at, &(v)->capacity, (need), sizeof(*(v)->at)), 1)))

/* Address of a new last item, uninitialised. */
#define VEC_PUSH(v) (VEC_RESERVE((v), (v)->n + 1), &(v)->at[(v)->n++])

/* `count' items more, copied from an array. */
#define VEC_APPEND(v, from, count)                                                     \
	do {                                                                           \
		size_t vec_more = (count);                                             \
		if (vec_more) {                                                        \
			VEC_RESERVE((v), (v)->n + vec_more);                           \
			memcpy((v)->at + (v)->n, (from), vec_more * sizeof(*(v)->at)); \
			(v)->n += vec_more;                                            \
		}                                                                      \
	} while (0)

/* Index of an item to fill: one of those whose indices are in `unused', or a new last one. */
#define VEC_TAKE(v, unused)                                \
	((unused)->n ? (size_t)(unused)->at[--(unused)->n] \
		     : (VEC_RESERVE((v), (v)->n + 1), (v)->n++))

/* Makes item i exist; what is new is zeroed. */
#define VEC_REACH(v, i)                                                                      \
	do {                                                                                 \
		size_t vec_need = (size_t)(i) + 1;                                           \
		if ((v)->n < vec_need) {                                                     \
			VEC_RESERVE((v), vec_need);                                          \
			memset((v)->at + (v)->n, 0, (vec_need - (v)->n) * sizeof(*(v)->at)); \
			(v)->n = vec_need;                                                   \
		}                                                                            \
	} while (0)

#define VEC_CLEAR(v) ((void)((v)->n = 0))

/* Takes out n items from index i on; those behind them move up. */
#define VEC_CUT(v, i, count) \
	((v)->n -= (count),  \
	 memmove((v)->at + (i), (v)->at + (i) + (count), ((v)->n - (i)) * sizeof(*(v)->at)))

/* What one has the other has then; both are of one item. */
#define VEC_SWAP(a, b)                              \
	do {                                        \
		char vec_was[sizeof(*(a))];         \
                                                    \
		memcpy(vec_was, (a), sizeof(*(a))); \
		memcpy((a), (b), sizeof(*(a)));     \
		memcpy((b), vec_was, sizeof(*(a))); \
	} while (0)

#define VEC_RELEASE(v) (mem_free((v)->at), (v)->at = NULL, (v)->n = (v)->capacity = 0)

/* Several at once, of whatever types: VEC_RELEASE_ALL(&a, &b, &c). */
#define VEC_RELEASE_ALL(...)                            \
	vec_release_all((void *const[]){ __VA_ARGS__ }, \
			sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void vec_release_all(void *const *vecs, size_t n);

/* One that is released where its block ends, or a struct whose first member is one:
 * VEC_SCOPED struct list l = { 0 }; */
#define VEC_SCOPED __attribute__((cleanup(vec_release)))
void vec_release(void *vec);

#endif /* BASE_VEC_H */
