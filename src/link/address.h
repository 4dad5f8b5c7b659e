/*
 * Where an observer listens:
 *
 *	unix:/path/to/socket	or any path with a slash
 *	tcp:HOST:PORT		or HOST:PORT, :PORT (this machine only), [::1]:PORT
 *
 * A Unix socket is for its owner alone: it is made with mode 0600, and either side turns away
 * whoever is neither that user nor root.  TCP has no such thing; there a token decides
 * (link/message.h).
 */
#ifndef LINK_ADDRESS_H
#define LINK_ADDRESS_H

#include "base/common.h"
#include <sys/types.h>
#include <sys/un.h>

#define ADDRESS_HOST 256

struct address {
	bool tcp;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char host[ADDRESS_HOST]; /* never empty: 127.0.0.1 when none was given */
	char port[16];
	/* Of the socket file that address_listen made. */
	dev_t dev;
	ino_t ino;
};

enum status address_parse(struct address *a, const char *text, struct diag *d) ST_CHECKED;

/* A path in the user's own directory for such things, which is made. */
enum status address_default(struct address *a, struct diag *d) ST_CHECKED;

/* "unix:/path", "tcp:host:port". */
void address_format(const struct address *a, struct strbuf *out);

/* Is it a machine that others can reach? */
bool address_is_local(const struct address *a);

/* It stands for all addresses of this machine: nobody can connect to it by that name. */
bool address_is_any(const struct address *a);

/*
 * A listening descriptor.  A socket file that nobody answers at is replaced.  Port 0 becomes the
 * one that the system chose.
 */
enum status address_listen(struct address *a, int *fd, struct diag *d) ST_CHECKED;
/* Removes the socket file, if it is still the one that was made. */
void address_unlisten(const struct address *a);

/* A connected descriptor; waits some seconds at most.  ST_END: nobody listens (yet). */
enum status address_connect(const struct address *a, int *fd, struct diag *d) ST_CHECKED;

/* Is the other side of a connection one whom we may talk to? */
enum status address_trust(const struct address *a, int fd, struct diag *d) ST_CHECKED;

#endif /* LINK_ADDRESS_H */
