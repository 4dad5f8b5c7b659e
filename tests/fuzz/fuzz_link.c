/*
 * What an observer does with the bytes of a peer, on hostile ones: no crash, no hang, bounded memory
 * and a bounded spool; whatever it refuses it has a reason for, and what it takes can be read.
 *
 * The input is a row of messages without sums, or mutations would never get past them: each is two
 * bytes of length, a byte of type, then the payload; the sums of closed chunks are made right too.
 * A type with its highest bit set goes as it is, with the sum 0, so that wrong sums are met.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "link/message.h"
#include "link/store.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define CHUNK_HEAD sizeof(struct format_chunk)

/* `used' and the sums, if all of the chunk is in this message; else the head's only. */
static void chunk_mend(uint8_t *payload, uint32_t n)
{
	struct format_chunk c;
	uint32_t from;

	if (n < CHUNK_HEAD + 8)
		return;
	memcpy(&c, payload, sizeof(c));
	memcpy(&from, payload + CHUNK_HEAD, sizeof(from));
	if (from == 0) {
		c.used = n - (uint32_t)CHUNK_HEAD - 8;
		c.sum = format_sum(payload + CHUNK_HEAD + 8, c.used, c.number);
	}
	c.head_sum = format_head_sum(&c);
	memcpy(payload, &c, sizeof(c));
}

static void push(struct message_buffer *b, const uint8_t *payload, uint16_t n, uint8_t type)
{
	struct message_head head = { MESSAGE_MAGIC, MESSAGE_VERSION, type & 0x7f, n, 0, 0 };
	size_t room;
	uint8_t *at = message_buffer_free(b, &room);

	if (room < sizeof(head) + n)
		return;
	memcpy(at + sizeof(head), payload, n);
	if (head.type == MESSAGE_CHUNK)
		chunk_mend(at + sizeof(head), n);
	if (!(type & 0x80))
		head.sum = format_sum(at + sizeof(head), n, (uint64_t)n << 32 | head.type);
	memcpy(at, &head, sizeof(head));
	message_buffer_filled(b, sizeof(head) + n);
}

/* The spool may hold anything, but it is a recording. */
static void look(const char *path)
{
	struct diag d = { { 0 } };
	struct trace *t;
	struct event e;

	if (trace_open(path, NULL, &t, &d) != ST_OK)
		abort();
	for (int i = 0; i < 10000 && trace_next(t, &e, &d) == ST_OK; i++)
		;
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char path[64];
	struct message_hello hello = { .format = FORMAT_VERSION, .token = "", .program = "" };
	struct store_limits limits = { .bytes = STORE_LEAST_BYTES, .threads = 20, .open = 5 };
	struct message_buffer b;
	struct store *s;
	struct diag d = { { 0 } };
	enum status st = ST_OK;

	if (!path[0])
		snprintf(path, sizeof(path), "/dev/shm/foresee-fuzz-link.%d", getpid());
	unlink(path);
	if (store_open(path, &hello, &limits, &s, &d) != ST_OK)
		abort();
	message_buffer_init(&b);
	while (n >= 3 && (st == ST_OK || st == ST_END)) {
		uint16_t length = (uint16_t)(data[0] | data[1] << 8);
		struct message m;

		if (length > n - 3)
			length = (uint16_t)(n - 3);
		push(&b, data + 3, length, data[2]);
		data += 3 + length;
		n -= 3u + length;
		while ((st = message_take(&b, &m, &d)) == ST_OK)
			if ((st = store_take(s, &m, &d)) != ST_OK)
				break;
	}
	if (st != ST_OK && st != ST_END && d.message[0] == '\0')
		abort();
	message_buffer_release(&b);
	store_close(s);
	look(path);
	unlink(path);
	return 0;
}
