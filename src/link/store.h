/*
 * The observer's copy of a recording: messages (link/message.h) are checked and written to a spool
 * file in the trace format, where the analysis follows it as it follows any growing trace.
 *
 * Closed chunks of threads go to areas; when these reach the size that was allowed the oldest is
 * emptied, as the recorder does with --keep.  Chunks that grow lie in slots.  Messages of different
 * threads may come in any order, those of one thread in theirs.
 *
 * Nothing is believed: a message that does not fit what came before, or a limit, is the end, with
 * a reason that is fit to be told to the other side.  Memory is bounded by the number of threads.
 *
 * Ownership: the caller owns the file; the store its descriptor.
 */
#ifndef LINK_STORE_H
#define LINK_STORE_H

#include "link/message.h"

struct store;

#define STORE_LEAST_BYTES (16u << 20)

struct store_limits {
	uint64_t bytes;	  /* of closed chunks, at least STORE_LEAST_BYTES */
	uint32_t threads; /* over the whole run */
	uint32_t open;	  /* chunks that grow at one time */
};
extern const struct store_limits store_limits_default;

struct store_info {
	uint64_t received; /* bytes of records */
	uint64_t dropped;  /* chunks that the recorder had no more */
	uint64_t emptied;  /* areas that made room for later ones */
	bool ended;	   /* END has come: */
	uint32_t status, signal;
	bool hung, asked;
	uint32_t fault_tid; /* the thread that got the signal; 0: not known */
	uint32_t pid;
};

/* Makes path anew, from what HELLO says of the file. */
enum status store_open(const char *path, const struct message_hello *hello,
		       const struct store_limits *limits, struct store **out,
		       struct diag *d) ST_CHECKED;
void store_close(struct store *s);

/* ST_BAD_INPUT: it cannot be; ST_LIMIT: it is too much; ST_IO: it cannot be written. */
enum status store_take(struct store *s, const struct message *m, struct diag *d) ST_CHECKED;

void store_info(const struct store *s, struct store_info *out);

#endif /* LINK_STORE_H */
