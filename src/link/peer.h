/*
 * A connection: a socket that never blocks, messages waiting to go out, bytes that came in.
 *
 * Ownership: the peer owns its descriptor.
 */
#ifndef LINK_PEER_H
#define LINK_PEER_H

#include "link/message.h"

#define PEER_HANDSHAKE_MS 5000
#define PEER_PING_MS 5000     /* who has said nothing for so long says PING */
#define PEER_SILENCE_MS 30000 /* who has not been heard for so long is lost */

struct peer {
	int fd;
	struct message_buffer in, out; /* message_take(&p->in, ..): the next that has come */
	int64_t heard_ms, said_ms;     /* when bytes last came, or were last put */
	uint64_t received;	       /* bytes */
};

/* Takes fd. */
void peer_init(struct peer *p, int fd);
void peer_release(struct peer *p);

/* Queues a message.  False: there is no room now; peer_move makes some. */
bool peer_send(struct peer *p, const struct message *m) ST_CHECKED;
bool peer_has_unsent(const struct peer *p);

/*
 * Moves bytes in both directions: waits up to ms for one of them to be possible, or for `stop' (-1:
 * none) to be readable.  ST_END: the other side has closed (what it sent before can still be
 * taken); ST_IO: the connection broke.
 */
enum status peer_move(struct peer *p, int stop, int ms, struct diag *d) ST_CHECKED;

/* Queues a PING when it is time for one.  False: the other side is silent, and lost. */
bool peer_keep(struct peer *p) ST_CHECKED;

/* Are two tokens equal?  Takes as long whatever the answer. */
bool peer_token_is(const char *given, const char *wanted);

#endif /* LINK_PEER_H */
