/*
 * Pairs that pieces of work find, put together as if one piece was done after the other.
 *
 * One pair is kept for each signature: that of the lowest piece.  A piece may ask whether a
 * signature was found in a lower one already, and leave it then; whether it did so in time or
 * not changes nothing, for its own pair would be thrown away.
 *
 * The limit: a piece may stop when it has found `limit' pairs itself.  If the lower pieces have k
 * signatures, at most k of its pairs are theirs as well, so the first limit - k new ones are
 * among them: the same as without stopping.
 *
 * Threads: each piece is one thread's at a time; the board between them has a lock.
 */
#ifndef PREDICT_FOUND_H
#define PREDICT_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct found_pair {
	uint32_t e1, e2;
	uint64_t signature;
};

struct found;

/* all: keep every pair, whatever its signature. */
struct found *found_new(size_t npieces, size_t limit, bool all);
void found_free(struct found *f);

/* Found in this piece or a lower one.  With `all', never. */
bool found_has(struct found *f, size_t piece, uint64_t signature);
/* False: the piece has enough. */
bool found_add(struct found *f, size_t piece, const struct found_pair *p);
/* The piece is done.  Once the lowest pieces have enough, the others need not begin. */
void found_done(struct found *f, size_t piece);
bool found_enough(struct found *f, size_t piece);

/* Of all pieces, in order.  True: there were more than the limit. */
bool found_collect(struct found *f);
size_t found_count(const struct found *f);
const struct found_pair *found_at(const struct found *f, size_t i);

#endif /* PREDICT_FOUND_H */
