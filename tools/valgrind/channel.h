/*
 * What orders threads through the kernel (doc/TRACE_FORMAT.md, GIVE and TAKE).
 */
#ifndef VALGRIND_CHANNEL_H
#define VALGRIND_CHANNEL_H

#include "tool.h"

/* Of calls that may do anything, and of signals: a word where no program has memory. */
#define CHANNEL_ANY 0x1000u

/* 0: there is no such descriptor. */
void channel_of(Int fd, struct channel *c);
Addr channel_of_futex(Addr a);
/* copy is a duplicate of fd. */
void channel_same(Int fd, Int copy);
/* fd is one end of a pipe that this process has made. */
void channel_made(Int fd);
/* Descriptors may have come in a message, or other processes may have them. */
void channel_passed(void);

void channel_give(struct thread *t, Addr object);
void channel_take(struct thread *t, Addr object);
/* What the loader does under its locks is not recorded, so what they order keeps its order. */
void channel_loader(struct thread *t, Bool acquires);
/* Data have been read, which nobody else reads. */
void channel_turn(struct thread *t, Addr turn);
/*
 * Room of a pipe, or of all sockets.  t is about to read there, which makes some; n bytes are to be written, where `most' fit
 * without a reader; t has written, and may have waited for room; it has waited until some of several had room.
 */
void channel_empties(struct thread *t, Addr room);
void channel_writes(Addr room, SizeT n, ULong most);
void channel_fills(struct thread *t, Addr room);
void channel_found_room(struct thread *t);
void channel_signal(struct thread *t);

#endif /* VALGRIND_CHANNEL_H */
