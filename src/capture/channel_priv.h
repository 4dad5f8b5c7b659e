/*
 * What is behind a descriptor, for those that make channels of it.
 */
#ifndef CAPTURE_CHANNEL_PRIV_H
#define CAPTURE_CHANNEL_PRIV_H

#include "capture/channel.h"

#define CHANNEL_KEY_NONE 0u
#define CHANNEL_KEY_SOCKET 1u

/* key CHANNEL_KEY_NONE: there is no such descriptor. */
struct behind {
	uint64_t key;
	bool socket;
	bool regular;
	bool pipe;
	bool anonymous; /* a file of no type; many descriptors share its inode */
	bool outside;	/* other processes may read what is written, or write what is read */
};

struct behind channel_behind(int fd);
/* Which word of each kind is for that key. */
unsigned channel_slot(uint64_t key);
unsigned channel_of(struct behind b);
/* Does an epoll watch it? */
bool channel_is_watched(unsigned channel);
/* May other processes pass on what goes through it? */
bool channel_goes_outside(struct behind b);

/* Inside a hook. */
void channel_log_give(struct thread *t, int fd, struct behind b);
void channel_log_take(struct thread *t, struct behind b);

#endif /* CAPTURE_CHANNEL_PRIV_H */
