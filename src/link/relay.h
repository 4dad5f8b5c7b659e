/*
 * Follows a growing trace file and turns what is new in it into messages (link/message.h).
 *
 * The file is the buffer: the relay keeps offsets, never records, so a slow observer costs no
 * memory and the program that writes the file nothing at all.  Every byte of a chunk is sent once:
 * OPEN messages while it is written, then CHUNK with the rest.  Chunks of a ring (--keep) that were
 * overwritten before they could be sent become DROPPED.
 *
 *	relay_look(r, false);			what is there now
 *	while (relay_next(r, &m)) ...		its messages
 *	...					again after a while; relay_look(r, true) at the end
 *
 * Threads of the recording are sent in any order, the chunks of one in theirs.  The control stream
 * goes ahead of what refers to it.
 *
 * Ownership: what a message points to is good until the next call.
 */
#ifndef LINK_RELAY_H
#define LINK_RELAY_H

#include "link/message.h"

struct relay;

/* ST_END: there is no file yet, or not all of its header. */
enum status relay_open(const char *path, struct relay **out, struct diag *d) ST_CHECKED;
void relay_close(struct relay *r);

/* All of it shall be sent again, to somebody else. */
void relay_rewind(struct relay *r);

/* What HELLO says of the file; token and program are left alone. */
void relay_describe(const struct relay *r, struct message_hello *hello);

/* last: nothing will be written any more, so whatever is there counts. */
void relay_look(struct relay *r, bool last);

/* The next message of this look; false: there is none. */
bool relay_next(struct relay *r, struct message *m);

/* Bytes of records given out since the start or the last rewind. */
uint64_t relay_sent(const struct relay *r);
/* The thread that got the signal which has killed the program; 0: not known. */
uint32_t relay_fault(const struct relay *r, uint32_t signal);
/* Bytes of the file, outside of a ring, that have not been given out. */
uint64_t relay_behind(const struct relay *r);
/* Chunks that were gone when their turn came. */
uint64_t relay_dropped(const struct relay *r);

#endif /* LINK_RELAY_H */
