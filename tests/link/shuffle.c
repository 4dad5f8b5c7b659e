/*
 * Between a recording and its observer: passes messages on in another order across threads, in
 * pieces of any length.  Messages of one thread keep theirs.
 *
 *	shuffle FROM TO SEED	each unix:PATH or tcp:PORT; prints "ready" when it listens
 *
 * Serves one connection after the other until it is killed.  Knows the bytes from
 * doc/OBSERVER_PROTOCOL.md and shares no code with either side.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HEAD 24
#define HELD 200 /* messages that may be held back */

enum { HELLO = 1, CHUNK = 4, OPEN = 5, DROPPED = 6, END = 7 };

struct frame {
	uint8_t *bytes;
	size_t n;
	int64_t thread; /* -1: of none */
};

static struct frame held[HELD];
static size_t nheld;
static uint64_t seed;

static uint64_t roll(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

static int reach(const char *text, int listens)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET };
	int tcp = strncmp(text, "tcp:", 4) == 0, on = 1, fd, r;
	struct sockaddr *name = tcp ? (struct sockaddr *)&in : (struct sockaddr *)&un;
	socklen_t n = tcp ? sizeof(in) : sizeof(un);

	in.sin_port = htons((uint16_t)atoi(text + 4));
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	strncpy(un.sun_path, text + (strncmp(text, "unix:", 5) == 0 ? 5 : 0),
		sizeof(un.sun_path) - 1);
	fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	r = listens ? bind(fd, name, n) || listen(fd, 4) : connect(fd, name, n);
	if (r == 0)
		return fd;
	if (listens) {
		perror(text);
		exit(2);
	}
	close(fd);
	return -1;
}

static int push(int fd, const uint8_t *p, size_t n)
{
	while (n > 0) {
		size_t piece = roll(8) == 0 ? 1 + roll(n) : n;
		ssize_t k = send(fd, p, piece, MSG_NOSIGNAL);

		if (k <= 0)
			return 0;
		p += k;
		n -= (size_t)k;
	}
	return 1;
}

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* One of those that are first of their threads. */
static int pass_one(int to)
{
	size_t pick = roll(nheld), first = 0;
	int good;

	while (held[first].thread != held[pick].thread)
		first++;
	good = push(to, held[first].bytes, held[first].n);
	free(held[first].bytes);
	memmove(held + first, held + first + 1, (nheld - first - 1) * sizeof(*held));
	nheld--;
	return good;
}

static int pass_all(int to)
{
	int good = 1;

	while (nheld > 0 && good)
		good = pass_one(to);
	return good;
}

static int hold(int to, const uint8_t *p, size_t n)
{
	unsigned type = p[6];
	struct frame f = { malloc(n), n, -1 };

	memcpy(f.bytes, p, n);
	if (type == CHUNK)
		f.thread = get32(p + HEAD + 4);
	else if (type == OPEN || type == DROPPED)
		f.thread = get32(p + HEAD);
	if (f.thread < 0) {
		int good = (type != END || pass_all(to)) && push(to, f.bytes, f.n);

		free(f.bytes);
		return good;
	}
	held[nheld++] = f;
	return nheld < HELD || pass_one(to);
}

static void serve(int from, int to)
{
	static uint8_t in[1 << 20], back[4096];
	size_t n = 0;

	for (;;) {
		struct pollfd p[2] = { { from, POLLIN, 0 }, { to, POLLIN, 0 } };
		size_t at = 0;
		ssize_t k;

		if (poll(p, 2, nheld ? 50 : -1) == 0 && !pass_all(to))
			return;
		if (p[1].revents) {
			k = recv(to, back, sizeof(back), 0);
			if (k <= 0 || !push(from, back, (size_t)k))
				return;
		}
		if (!p[0].revents)
			continue;
		k = recv(from, in + n, sizeof(in) - n, 0);
		if (k <= 0) {
			pass_all(to);
			return;
		}
		n += (size_t)k;
		while (n - at >= HEAD && n - at - HEAD >= get32(in + at + 8)) {
			size_t whole = HEAD + get32(in + at + 8);

			if (!hold(to, in + at, whole))
				return;
			at += whole;
		}
		memmove(in, in + at, n - at);
		n -= at;
	}
}

int main(int argc, char **argv)
{
	int listener;

	if (argc != 4)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	seed = strtoull(argv[3], NULL, 10);
	listener = reach(argv[1], 1);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int from = accept(listener, NULL, NULL);
		int to = from < 0 ? -1 : reach(argv[2], 0);

		if (to >= 0) {
			serve(from, to);
			close(to);
		}
		while (nheld > 0)
			free(held[--nheld].bytes);
		close(from);
	}
}
