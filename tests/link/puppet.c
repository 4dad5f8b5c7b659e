/*
 * Bad company for tests: observers that do not do their work, and peers that observers must turn
 * away.
 *
 *	puppet observer unix:PATH|tcp:PORT mute		accepts, and does nothing
 *	puppet observer ADDR stuck			says welcome, then nothing, and reads nothing
 *	puppet observer ADDR slow			says welcome, reads 1 KiB a second
 *	puppet observer ADDR save FILE			takes all, writes its messages to FILE as seeds
 *							for tests/fuzz/fuzz_link.c, says bye, ends
 *	puppet peer ADDR garbage|silent|version|format|lies|big|half TOKEN
 *							prints what the observer answers, ends
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "link/message.h"

static int reach(const char *text, int listens)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET };
	int tcp = strncmp(text, "tcp:", 4) == 0, on = 1, fd;
	struct sockaddr *name = tcp ? (struct sockaddr *)&in : (struct sockaddr *)&un;
	socklen_t n = tcp ? sizeof(in) : sizeof(un);
	const char *port = strrchr(text, ':');

	in.sin_port = htons((uint16_t)atoi(port ? port + 1 : ""));
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	strncpy(un.sun_path, text + 5, sizeof(un.sun_path) - 1);
	fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (listens ? bind(fd, name, n) || listen(fd, 4) : connect(fd, name, n)) {
		perror(text);
		exit(2);
	}
	return fd;
}

static int take(int fd, void *into, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t k = recv(fd, (char *)into + got, n - got, 0);

		if (k <= 0)
			return 0;
		got += (size_t)k;
	}
	return 1;
}

static void say(int fd, unsigned version, unsigned type, const void *payload, uint32_t n)
{
	struct message_head h = { MESSAGE_MAGIC,
				  (uint16_t)version,
				  (uint16_t)type,
				  n,
				  0,
				  format_sum(payload, n, (uint64_t)n << 32 | type) };

	if (send(fd, &h, sizeof(h), MSG_NOSIGNAL) != (ssize_t)sizeof(h) ||
	    send(fd, payload, n, MSG_NOSIGNAL) != (ssize_t)n)
		perror("send");
}

/* ---- observers ---- */

static void save(int fd, const char *path)
{
	static uint8_t payload[MESSAGE_MAX];
	FILE *f = fopen(path, "w");
	struct message_head h;
	uint64_t bytes;

	while (f && take(fd, &h, sizeof(h)) && take(fd, payload, h.length)) {
		if (h.type == MESSAGE_END) {
			memcpy(&bytes, payload + 8, 8);
			say(fd, MESSAGE_VERSION, MESSAGE_BYE, &bytes, 8);
			break;
		}
		if (h.type == MESSAGE_PING || h.length > 0xffff)
			continue;
		fputc((int)(h.length & 255), f);
		fputc((int)(h.length >> 8), f);
		fputc(h.type, f);
		fwrite(payload, h.length, 1, f);
	}
	if (f)
		fclose(f);
}

static void observe(const char *where, const char *how, const char *path)
{
	static uint8_t hello[4096];
	int listener = reach(where, 1), fd;
	struct message_head h;

	puts("ready");
	fflush(stdout);
	fd = accept(listener, NULL, NULL);
	if (strcmp(how, "mute") == 0)
		for (;;)
			pause();
	if (!take(fd, &h, sizeof(h)) || h.length > sizeof(hello) || !take(fd, hello, h.length))
		exit(2);
	say(fd, MESSAGE_VERSION, MESSAGE_WELCOME, "", 0);
	if (strcmp(how, "stuck") == 0)
		for (;;)
			pause();
	while (strcmp(how, "slow") == 0 && take(fd, hello, 1024))
		sleep(1);
	if (strcmp(how, "save") == 0)
		save(fd, path);
}

/* ---- peers ---- */

static void say_hello(int fd, unsigned version, uint32_t format, const char *token)
{
	uint8_t payload[24 + 512] = { 0 };
	size_t n = strlen(token) + 1;

	memcpy(payload, &format, 4);
	memcpy(payload + 24, token, n);
	memcpy(payload + 24 + n, "puppet", 7);
	say(fd, version, MESSAGE_HELLO, payload, (uint32_t)(24 + n + 7));
}

/* A chunk whose records are not what its sum says. */
static void say_lie(int fd)
{
	uint8_t payload[72 + 8] = { 0 };
	struct format_chunk c = { .magic = FORMAT_CHUNK,
				  .tid = 1,
				  .used = 8,
				  .first_tseq = 1,
				  .flags = FORMAT_CHUNK_CLOSED,
				  .sum = 1 };

	c.head_sum = format_head_sum(&c);
	memcpy(payload, &c, sizeof(c));
	say(fd, MESSAGE_VERSION, MESSAGE_CHUNK, payload, sizeof(payload));
}

static void hear(int fd)
{
	static uint8_t payload[MESSAGE_MAX];
	struct message_head h;

	while (take(fd, &h, sizeof(h)) && h.length <= sizeof(payload) &&
	       take(fd, payload, h.length)) {
		if (h.type == MESSAGE_REFUSED)
			printf("refused: %s\n", (char *)payload + 4);
		else
			printf("message %u\n", h.type);
		fflush(stdout);
	}
	puts("closed");
}

static void peer(const char *where, const char *how, const char *token)
{
	struct message_head big = {
		MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_CHUNK, 0xffffffffu, 0, 0
	};
	int fd = reach(where, 0);
	int version = strcmp(how, "version") == 0, format = strcmp(how, "format") == 0;

	if (strcmp(how, "garbage") == 0 && send(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL) < 0)
		perror("send");
	else if (strcmp(how, "silent") != 0 && strcmp(how, "garbage") != 0)
		say_hello(fd, version ? 9 : MESSAGE_VERSION, format ? 99 : FORMAT_VERSION, token);
	if (strcmp(how, "lies") == 0)
		say_lie(fd);
	if (strcmp(how, "big") == 0 && send(fd, &big, sizeof(big), MSG_NOSIGNAL) < 0)
		perror("send");
	if (strcmp(how, "half") == 0) { /* leaves in the middle of a message */
		big.length = 1000;
		if (send(fd, &big, sizeof(big), MSG_NOSIGNAL) < 0)
			perror("send");
		usleep(300000);
		return;
	}
	hear(fd);
}

int main(int argc, char **argv)
{
	if (argc == 4 || argc == 5) {
		if (strcmp(argv[1], "observer") == 0)
			observe(argv[2], argv[3], argc > 4 ? argv[4] : "/dev/null");
		else
			peer(argv[2], argv[3], argc > 4 ? argv[4] : "");
		return 0;
	}
	return 2;
}
