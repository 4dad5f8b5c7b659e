/* Slips of the pen: of the words there are, the one that was probably meant. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include "base/common.h"

#define NEAR_WORD 64 /* longer words have no near miss */

/* Edits between two words: letters more, less, changed, or two neighbours swapped.  NEAR_WORD when
 * one of them is longer than that. */
unsigned near_distance(const char *a, const char *b);

/* The candidate nearest to word when it is near enough to be a slip, else NULL. */
const char *near_find(const char *word, const char *const *candidates, size_t n);

#endif /* BASE_NEAR_H */
