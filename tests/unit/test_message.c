/* Messages: there and back, in pieces, cut, spoilt, too large. */
#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "link/message.h"
#include "link/peer.h"
#include "sim.h"
#include "tap.h"

static struct diag d;
static uint8_t records[MESSAGE_BYTES];

static struct message sample(enum message_type type, uint32_t n)
{
	struct message m = { .type = type };

	switch (type) {
	case MESSAGE_HELLO:
		m.hello = (struct message_hello){ 2, 3, 4567, 1u << 30, "secret", "/bin/prog" };
		break;
	case MESSAGE_REFUSED:
		m.refused.again = true;
		m.refused.words = "no";
		break;
	case MESSAGE_CHUNK:
		m.chunk.head.tid = 7;
		m.chunk.head.used = n + 5;
		m.chunk.rest = (struct message_records){ 5, n, records };
		break;
	case MESSAGE_OPEN:
		m.open.tid = 8;
		m.open.number = 9;
		m.open.first_tseq = 1000;
		m.open.start_ns = 77;
		m.open.more = (struct message_records){ 3, n ? n : 1, records };
		break;
	case MESSAGE_DROPPED:
		m.dropped.tid = 1;
		m.dropped.from = 2;
		m.dropped.to = 3;
		break;
	case MESSAGE_END:
		m.end.status = 139;
		m.end.signal = 11;
		m.end.bytes = (uint64_t)1 << 40;
		break;
	case MESSAGE_BYE:
		m.bye.bytes = 12;
		break;
	default:
		break;
	}
	return m;
}

static bool same_records(const struct message_records *a, const struct message_records *b)
{
	return a->from == b->from && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static bool same(const struct message *a, const struct message *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case MESSAGE_HELLO:
		return a->hello.format == b->hello.format && a->hello.flags == b->hello.flags &&
		       a->hello.pid == b->hello.pid && a->hello.start_ns == b->hello.start_ns &&
		       strcmp(a->hello.token, b->hello.token) == 0 &&
		       strcmp(a->hello.program, b->hello.program) == 0;
	case MESSAGE_REFUSED:
		return a->refused.again == b->refused.again &&
		       strcmp(a->refused.words, b->refused.words) == 0;
	case MESSAGE_CHUNK:
		return memcmp(&a->chunk.head, &b->chunk.head, sizeof(a->chunk.head)) == 0 &&
		       same_records(&a->chunk.rest, &b->chunk.rest);
	case MESSAGE_OPEN:
		return a->open.tid == b->open.tid && a->open.number == b->open.number &&
		       a->open.first_tseq == b->open.first_tseq &&
		       a->open.start_ns == b->open.start_ns &&
		       same_records(&a->open.more, &b->open.more);
	case MESSAGE_DROPPED:
		return a->dropped.tid == b->dropped.tid && a->dropped.from == b->dropped.from &&
		       a->dropped.to == b->dropped.to;
	case MESSAGE_END:
		return a->end.status == b->end.status && a->end.signal == b->end.signal &&
		       a->end.bytes == b->end.bytes;
	case MESSAGE_BYE:
		return a->bye.bytes == b->bye.bytes;
	default:
		return true;
	}
}

/* Its bytes; the caller frees. */
static uint8_t *encode(const struct message *m, size_t *n)
{
	struct message_buffer b;
	uint8_t *bytes;

	message_buffer_init(&b);
	if (!message_put(&b, m))
		abort();
	*n = b.end;
	bytes = mem_alloc(*n);
	memcpy(bytes, b.at, *n);
	message_buffer_release(&b);
	return bytes;
}

static void fill(struct message_buffer *b, const uint8_t *bytes, size_t n)
{
	size_t room;
	uint8_t *at = message_buffer_free(b, &room);

	if (room < n)
		abort();
	memcpy(at, bytes, n);
	message_buffer_filled(b, n);
}

/* What comes of n bytes alone. */
static enum status decode(const uint8_t *bytes, size_t n, struct message_buffer *b,
			  struct message *m)
{
	b->begin = b->end = 0;
	diag_clear(&d);
	fill(b, bytes, n);
	return message_take(b, m, &d);
}

static void test_kinds(void)
{
	static const uint32_t sizes[] = { 0, 1, 100, MESSAGE_BYTES };
	struct message_buffer b;

	message_buffer_init(&b);
	for (int type = 1; type < MESSAGE_NTYPES; type++) {
		bool good = true, cut = true, slow = true;

		for (size_t k = 0; k < 4; k++) {
			struct message m = sample(type, sizes[k]), got;
			size_t n, step;
			uint8_t *bytes = encode(&m, &n);

			good &= decode(bytes, n, &b, &got) == ST_OK && same(&m, &got) &&
				b.begin == b.end;
			step = n > 5000 ? 997 : 1;
			for (size_t i = 0; i < n; i += step)
				cut &= decode(bytes, i, &b, &got) == ST_END;
			b.begin = b.end = 0;
			for (size_t i = 0; i < n && n < 5000; i++) {
				fill(&b, bytes + i, 1);
				slow &= message_take(&b, &got, &d) == (i + 1 == n ? ST_OK : ST_END);
			}
			slow &= n >= 5000 || same(&m, &got);
			mem_free(bytes);
		}
		TAP_OK(good, "%s: there and back", message_name(type));
		TAP_OK(cut, "%s: cut anywhere, it is not there yet", message_name(type));
		TAP_OK(slow, "%s: byte by byte", message_name(type));
	}
	message_buffer_release(&b);
}

/* Any one byte of any message, spoilt in any way that a bit can be. */
static void test_damage(void)
{
	struct message_buffer b;

	message_buffer_init(&b);
	for (int type = 1; type < MESSAGE_NTYPES; type++) {
		struct message m = sample(type, 20), got;
		size_t n;
		uint8_t *bytes = encode(&m, &n);
		unsigned taken = 0, silent = 0;

		for (size_t i = 0; i < 8 * n; i++) {
			enum status st;

			bytes[i / 8] ^= (uint8_t)(1u << i % 8);
			st = decode(bytes, n, &b, &got);
			taken += st == ST_OK;
			silent += st == ST_BAD_INPUT && d.message[0] == '\0';
			bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		}
		TAP_EQ(taken, 0, "%s: a wrong bit is found", message_name(type));
		TAP_EQ(silent, 0, "%s: and told of", message_name(type));
		mem_free(bytes);
	}
	message_buffer_release(&b);
}

static void test_strangers(void)
{
	struct message m = sample(MESSAGE_HELLO, 0), got;
	struct message_buffer b;
	struct message_head head;
	size_t n;
	uint8_t *bytes = encode(&m, &n);

	message_buffer_init(&b);
	TAP_EQ(decode((const uint8_t *)"GET / HTTP/1.1\r\n\r\n", 18, &b, &got), ST_BAD_INPUT,
	       "another protocol");
	TAP_EQ(decode((const uint8_t *)"GET ", 4, &b, &got), ST_BAD_INPUT,
	       "is found out by its first bytes");
	TAP_OK(strstr(d.message, "no message of foresee") != NULL, "in words");
	bytes[4] = 9;
	TAP_EQ(decode(bytes, 6, &b, &got), ST_BAD_INPUT, "another version");
	TAP_OK(strstr(d.message, "speaks version 9 of the protocol, this foresee version 1"),
	       "is told of");
	bytes[4] = MESSAGE_VERSION;
	memcpy(&head, bytes, sizeof(head));
	head.length = UINT32_MAX;
	memcpy(bytes, &head, sizeof(head));
	TAP_EQ(decode(bytes, n, &b, &got), ST_BAD_INPUT, "a length that is too large");
	head.length = 2000000;
	head.type = MESSAGE_CHUNK;
	memcpy(bytes, &head, sizeof(head));
	TAP_EQ(decode(bytes, n, &b, &got), ST_BAD_INPUT, "too large for a chunk as well");
	head.type = MESSAGE_NTYPES;
	head.length = 0;
	memcpy(bytes, &head, sizeof(head));
	TAP_EQ(decode(bytes, n, &b, &got), ST_BAD_INPUT, "an unknown kind");
	mem_free(bytes);
	message_buffer_release(&b);
}

/* Texts that do not end, or end early, under sums that agree. */
static void test_texts(void)
{
	struct message m = sample(MESSAGE_HELLO, 0), got;
	struct message_buffer b;
	struct message_head head;
	size_t n;
	uint8_t *bytes = encode(&m, &n);
	char words[3000];

	message_buffer_init(&b);
	memcpy(&head, bytes, sizeof(head));
	bytes[n - 1] = 'x';
	head.sum = format_sum(bytes + sizeof(head), head.length, (uint64_t)head.length << 32 | 1);
	memcpy(bytes, &head, sizeof(head));
	TAP_EQ(decode(bytes, n, &b, &got), ST_BAD_INPUT, "a text without an end");
	bytes[n - 1] = 0;
	bytes[n - 3] = 0;
	head.sum = format_sum(bytes + sizeof(head), head.length, (uint64_t)head.length << 32 | 1);
	memcpy(bytes, &head, sizeof(head));
	TAP_EQ(decode(bytes, n, &b, &got), ST_BAD_INPUT, "a text too many");
	mem_free(bytes);

	memset(words, 'w', sizeof(words));
	words[sizeof(words) - 1] = '\0';
	m.hello.token = m.hello.program = words;
	bytes = encode(&m, &n);
	TAP_EQ(decode(bytes, n, &b, &got), ST_OK, "long texts are cut");
	TAP_EQ(strlen(got.hello.program), MESSAGE_WORDS - 1, "by as much as there is no room for");
	mem_free(bytes);
	message_buffer_release(&b);
}

/* Many messages through two small buffers, moved in random pieces. */
static void test_stream(void)
{
	struct message_buffer out, in;
	uint64_t seed = 5;
	unsigned sent = 0, taken = 0, wrong = 0, waited = 0;

	message_buffer_init(&out);
	message_buffer_init(&in);
	while (taken < 20000) {
		struct message m, got;
		size_t n = out.end - out.begin, room;
		uint8_t *at = message_buffer_free(&in, &room);
		size_t piece = sim_random(&seed) % 3000;
		enum status st;

		piece = piece < n ? piece : n;
		piece = piece < room ? piece : room;
		memcpy(at, out.at + out.begin, piece);
		message_buffer_filled(&in, piece);
		out.begin += piece;
		while ((st = message_take(&in, &got, &d)) == ST_OK) {
			m = sample(1 + taken % (MESSAGE_NTYPES - 1), taken * 7 % 5000);
			wrong += !same(&m, &got);
			taken++;
		}
		wrong += st != ST_END;
		m = sample(1 + sent % (MESSAGE_NTYPES - 1), sent * 7 % 5000);
		while (sent < 20000 && message_put(&out, &m)) {
			sent++;
			m = sample(1 + sent % (MESSAGE_NTYPES - 1), sent * 7 % 5000);
		}
		waited++;
	}
	TAP_EQ(wrong, 0, "20000 messages come as they went");
	TAP_OK(waited > 100, "though there was room for a few at a time only");
	message_buffer_release(&out);
	message_buffer_release(&in);
}

int main(void)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof(records); i++)
		records[i] = (uint8_t)sim_random(&seed);
	test_kinds();
	test_damage();
	test_strangers();
	test_texts();
	test_stream();
	TAP_OK(peer_token_is("abc", "abc") && !peer_token_is("abd", "abc") &&
		       !peer_token_is("", "abc") && !peer_token_is("abcd", "abc"),
	       "tokens");
	return tap_done();
}
