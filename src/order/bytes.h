/*
 * What memory holds by the trace, byte by byte, so that a read of something else is noticed: code
 * that is not recorded wrote it, and the write that the read names is not the one it saw.
 *
 * Ownership: the caller owns the struct; the trace is borrowed.
 */
#ifndef ORDER_BYTES_H
#define ORDER_BYTES_H

#include "base/keyset.h"
#include "order/unseen.h"
#include "base/spans.h"

struct bytes_page;
struct trace;

#define BYTES_CACHE 256

struct bytes {
	struct trace *trace;
	bool on; /* a recording, and nothing of it left out: else every answer is no */
	uint64_t
		ngiven; /* words that unseen code was given a pointer to and two threads touch, so far */
	struct unseen unseen;
	struct spans blocks; /* memory that was allocated; id: where, kind: what it held */
	struct map index;    /* page number, to the page */
	struct keyset pages; /* page numbers */
	struct {
		uint64_t number;
		struct bytes_page *page;
	} cache[BYTES_CACHE];
};

void bytes_init(struct bytes *b, struct trace *t);
void bytes_release(struct bytes *b);

/* Every event, in order.  True: it is a read of what unseen code has written, or may have. */
bool bytes_event(struct bytes *b, const struct event *e);

#endif /* ORDER_BYTES_H */
