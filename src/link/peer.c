#include "link/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sha256.h"

void peer_init(struct peer *p, int fd)
{
	*p = (struct peer){ .fd = fd };
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	message_buffer_init(&p->in);
	message_buffer_init(&p->out);
	p->heard_ms = p->said_ms = talk_clock_ms();
}

void peer_release(struct peer *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	message_buffer_release(&p->in);
	message_buffer_release(&p->out);
}

bool peer_send(struct peer *p, const struct message *m)
{
	if (!message_put(&p->out, m))
		return false;
	p->said_ms = talk_clock_ms();
	return true;
}

bool peer_has_unsent(const struct peer *p)
{
	return p->out.end != p->out.begin;
}

static bool is_for_later(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static enum status broke(struct diag *d, int error)
{
	return diag_fail(d, ST_IO, "the connection broke: %s", strerror(error));
}

static enum status move_out(struct peer *p, struct diag *d)
{
	while (peer_has_unsent(p)) {
		ssize_t n = send(p->fd, p->out.at + p->out.begin, p->out.end - p->out.begin,
				 MSG_NOSIGNAL);

		if (n < 0)
			return is_for_later(errno) ? ST_OK : broke(d, errno);
		p->out.begin += (size_t)n;
	}
	return ST_OK;
}

/* One read: the caller takes messages out before there is more room. */
static enum status move_in(struct peer *p, struct diag *d)
{
	size_t room;
	uint8_t *at = message_buffer_free(&p->in, &room);
	ssize_t n = room == 0 ? 0 : recv(p->fd, at, room, 0);

	if (room == 0)
		return ST_OK;
	if (n < 0)
		return is_for_later(errno) ? ST_OK : broke(d, errno);
	if (n == 0)
		return diag_fail(d, ST_END, "the other side has closed the connection");
	message_buffer_filled(&p->in, (size_t)n);
	p->received += (uint64_t)n;
	p->heard_ms = talk_clock_ms();
	return ST_OK;
}

enum status peer_move(struct peer *p, int stop, int ms, struct diag *d)
{
	struct pollfd fds[2] = {
		{ .fd = p->fd, .events = (short)(POLLIN | (peer_has_unsent(p) ? POLLOUT : 0)) },
		{ .fd = stop, .events = POLLIN },
	};
	enum status out = ST_OK, in;
	struct diag broken = { 0 };

	if (poll(fds, 2, ms) <= 0 || fds[0].revents == 0)
		return ST_OK;
	if (peer_has_unsent(p))
		out = move_out(p, &broken);
	/* A side that refuses says why before it closes: what it said comes first. */
	in = fds[0].revents & (POLLIN | POLLHUP | POLLERR) ? move_in(p, d) : ST_OK;
	if (in != ST_OK || out == ST_OK || p->in.end != p->in.begin)
		return in;
	diag_set(d, "%s", broken.message);
	return out;
}

bool peer_keep(struct peer *p)
{
	int64_t now = talk_clock_ms();

	if (now - p->said_ms >= PEER_PING_MS &&
	    !peer_send(p, &(struct message){ .type = MESSAGE_PING }))
		p->said_ms = now; /* no room: there is enough to hear */
	return now - p->heard_ms < PEER_SILENCE_MS;
}

bool peer_token_is(const char *given, const char *wanted)
{
	uint8_t a[SHA256_BYTES], b[SHA256_BYTES], differ = 0;
	const char *both[] = { given, wanted };
	uint8_t *sums[] = { a, b };

	/* Sums have one length, and say nothing of what is near. */
	for (int i = 0; i < 2; i++) {
		struct sha256 s;

		sha256_init(&s);
		sha256_add(&s, both[i], strlen(both[i]));
		sha256_end(&s, sums[i]);
	}
	for (int i = 0; i < SHA256_BYTES; i++)
		differ |= a[i] ^ b[i];
	return differ == 0;
}
