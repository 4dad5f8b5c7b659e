#include "link/message.h"

#include <assert.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/wire.h"

static const struct {
	const char *name;
	uint32_t least, most;
} types[MESSAGE_NTYPES] = {
#define X(id, words, lo, hi) [MESSAGE_##id] = { words, lo, hi },
	MESSAGE_TYPES(X)
#undef X
};

const char *message_name(enum message_type type)
{
	return types[type].name;
}

static uint64_t payload_sum(const void *payload, uint32_t length, unsigned type)
{
	return format_sum(payload, length, (uint64_t)length << 32 | type);
}

/* ---- buffers ---- */

void message_buffer_init(struct message_buffer *b)
{
	*b = (struct message_buffer){ .room = sizeof(struct message_head) + MESSAGE_MAX };
	b->at = mem_alloc(b->room);
}

void message_buffer_release(struct message_buffer *b)
{
	mem_free(b->at);
	*b = (struct message_buffer){ 0 };
}

uint8_t *message_buffer_free(struct message_buffer *b, size_t *n)
{
	if (b->begin != 0) {
		memmove(b->at, b->at + b->begin, b->end - b->begin);
		b->end -= b->begin;
		b->begin = 0;
	}
	*n = b->room - b->end;
	return b->at + b->end;
}

void message_buffer_filled(struct message_buffer *b, size_t n)
{
	assert(n <= b->room - b->end);
	b->end += n;
}

/* ---- putting ---- */

static uint8_t *put(uint8_t *p, const void *bytes, size_t n)
{
	if (n != 0)
		memcpy(p, bytes, n);
	return p + n;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put(p, &v, sizeof(v));
}

static uint8_t *put64(uint8_t *p, uint64_t v)
{
	return put(p, &v, sizeof(v));
}

/* With its NUL; too long ones lose their end. */
static uint8_t *put_words(uint8_t *p, const char *words)
{
	size_t n = strnlen(words, MESSAGE_WORDS - 1);

	p = put(p, words, n);
	*p++ = 0;
	return p;
}

static uint8_t *put_hello(uint8_t *p, const struct message_hello *h)
{
	p = put32(put32(put32(put32(p, h->format), h->flags), h->pid), 0);
	p = put64(p, h->start_ns);
	return put_words(put_words(p, h->token), h->program);
}

static uint8_t *put_payload(uint8_t *p, const struct message *m)
{
	const struct message_records *r;

	switch (m->type) {
	case MESSAGE_HELLO:
		return put_hello(p, &m->hello);
	case MESSAGE_REFUSED:
		return put_words(put32(p, m->refused.again), m->refused.words);
	case MESSAGE_CHUNK:
		r = &m->chunk.rest;
		p = put32(put32(put(p, &m->chunk.head, sizeof(m->chunk.head)), r->from), 0);
		return put(p, r->bytes, r->n);
	case MESSAGE_OPEN:
		r = &m->open.more;
		p = put64(put32(put32(p, m->open.tid), m->open.number), m->open.first_tseq);
		p = put32(put32(put64(p, m->open.start_ns), r->from), 0);
		return put(p, r->bytes, r->n);
	case MESSAGE_DROPPED:
		p = put32(put32(p, m->dropped.tid), m->dropped.from);
		return put32(put32(p, m->dropped.to), 0);
	case MESSAGE_END:
		return put64(put32(put32(p, m->end.status), m->end.signal), m->end.bytes);
	case MESSAGE_BYE:
		return put64(p, m->bye.bytes);
	default: /* WELCOME, PING */
		return p;
	}
}

/* At most so many bytes of payload. */
static size_t payload_bound(const struct message *m)
{
	if (m->type == MESSAGE_CHUNK)
		return types[m->type].least + (size_t)m->chunk.rest.n;
	if (m->type == MESSAGE_OPEN)
		return types[m->type].least + (size_t)m->open.more.n;
	return types[m->type].most;
}

bool message_put(struct message_buffer *b, const struct message *m)
{
	struct message_head head = { .magic = MESSAGE_MAGIC,
				     .version = MESSAGE_VERSION,
				     .type = (uint16_t)m->type };
	size_t room;
	uint8_t *at = message_buffer_free(b, &room), *payload = at + sizeof(head), *end;

	assert(m->type > MESSAGE_NONE && m->type < MESSAGE_NTYPES);
	if (room < sizeof(head) + payload_bound(m))
		return false;
	end = put_payload(payload, m);
	head.length = (uint32_t)(end - payload);
	assert(head.length >= types[m->type].least && head.length <= types[m->type].most);
	head.sum = payload_sum(payload, head.length, head.type);
	memcpy(at, &head, sizeof(head));
	message_buffer_filled(b, sizeof(head) + head.length);
	return true;
}

/* ---- taking ---- */

/* Up to a NUL that must be there. */
static const char *take_words(struct wire *w)
{
	const char *words = (const char *)w->at;
	size_t n = strnlen(words, wire_left(w));

	if (n == wire_left(w) || n >= MESSAGE_WORDS) {
		wire_fail(w);
		return "";
	}
	w->at += n + 1;
	return words;
}

static uint32_t take32(struct wire *w)
{
	return (uint32_t)wire_fixed(w, 4);
}

static void take_records(struct wire *w, struct message_records *r)
{
	r->from = take32(w);
	(void)take32(w);
	r->n = (uint32_t)wire_left(w);
	r->bytes = wire_bytes(w, r->n);
}

static void take_hello(struct wire *w, struct message_hello *h)
{
	h->format = take32(w);
	h->flags = take32(w);
	h->pid = take32(w);
	(void)take32(w);
	h->start_ns = wire_fixed(w, 8);
	h->token = take_words(w);
	h->program = take_words(w);
}

/* False: it is not what its type says. */
static bool take_payload(struct wire *w, struct message *m)
{
	const uint8_t *head;

	switch (m->type) {
	case MESSAGE_HELLO:
		take_hello(w, &m->hello);
		break;
	case MESSAGE_REFUSED:
		m->refused.again = take32(w) != 0;
		m->refused.words = take_words(w);
		break;
	case MESSAGE_CHUNK:
		head = wire_bytes(w, sizeof(m->chunk.head));
		memcpy(&m->chunk.head, head, sizeof(m->chunk.head));
		take_records(w, &m->chunk.rest);
		break;
	case MESSAGE_OPEN:
		m->open.tid = take32(w);
		m->open.number = take32(w);
		m->open.first_tseq = wire_fixed(w, 8);
		m->open.start_ns = wire_fixed(w, 8);
		take_records(w, &m->open.more);
		break;
	case MESSAGE_DROPPED:
		m->dropped.tid = take32(w);
		m->dropped.from = take32(w);
		m->dropped.to = take32(w);
		(void)take32(w);
		break;
	case MESSAGE_END:
		m->end.status = take32(w);
		m->end.signal = take32(w);
		m->end.bytes = wire_fixed(w, 8);
		break;
	case MESSAGE_BYE:
		m->bye.bytes = wire_fixed(w, 8);
		break;
	default: /* WELCOME may say more one day */
		w->at = w->end;
		break;
	}
	return !w->bad && w->at == w->end;
}

static enum status head_check(const struct message_head *h, size_t there, struct diag *d)
{
	if (h->magic != MESSAGE_MAGIC)
		return diag_fail(d, ST_BAD_INPUT, "what came is no message of foresee");
	if (there >= 6 && h->version != MESSAGE_VERSION)
		return diag_fail(
			d, ST_BAD_INPUT,
			"the other side speaks version %u of the protocol, this foresee version %u; "
			"use the same foresee on both sides",
			h->version, MESSAGE_VERSION);
	if (there < sizeof(*h))
		return ST_OK;
	if (h->type == MESSAGE_NONE || h->type >= MESSAGE_NTYPES || h->zero != 0)
		return diag_fail(d, ST_BAD_INPUT, "a message of unknown kind %u", h->type);
	if (h->length < types[h->type].least || h->length > types[h->type].most)
		return diag_fail(d, ST_BAD_INPUT, "a %s message of %u bytes", types[h->type].name,
				 h->length);
	return ST_OK;
}

enum status message_take(struct message_buffer *b, struct message *m, struct diag *d)
{
	struct message_head head = { 0 };
	const uint8_t *payload;
	size_t there = b->end - b->begin;
	struct wire w;

	/* Whoever speaks something else is found out by the first bytes. */
	if (there < 4)
		return ST_END;
	memcpy(&head, b->at + b->begin, there < sizeof(head) ? there : sizeof(head));
	if (head_check(&head, there, d) != ST_OK)
		return ST_BAD_INPUT;
	if (there < sizeof(head) || there - sizeof(head) < head.length)
		return ST_END;
	payload = b->at + b->begin + sizeof(head);
	if (payload_sum(payload, head.length, head.type) != head.sum)
		return diag_fail(d, ST_BAD_INPUT, "a %s message is damaged: its sum does not agree",
				 types[head.type].name);
	w = (struct wire){ payload, payload + head.length, false };
	*m = (struct message){ .type = (enum message_type)head.type };
	if (!take_payload(&w, m))
		return diag_fail(d, ST_BAD_INPUT, "a %s message that makes no sense",
				 types[head.type].name);
	b->begin += sizeof(head) + head.length;
	return ST_OK;
}
