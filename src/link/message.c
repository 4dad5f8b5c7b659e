#include "link/message.h"

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

/* ---- payloads: one walk for both directions ---- */

struct codec {
	uint8_t *out; /* where the next byte goes; NULL: a message is taken from `in' */
	struct wire in;
};

#define FIELD(c, x) field(c, &(x), sizeof(x))

static void field(struct codec *c, void *value, size_t n)
{
	const uint8_t *from = c->out ? NULL : wire_bytes(&c->in, n);

	if (c->out)
		c->out = mempcpy(c->out, value, n);
	else if (from)
		memcpy(value, from, n);
}

static void padding(struct codec *c)
{
	uint32_t zero = 0;

	FIELD(c, zero);
}

/* With its NUL, which must be there.  Too long ones lose their end when they are put. */
static void words(struct codec *c, const char **text)
{
	size_t n;

	if (!c->out)
		*text = (const char *)c->in.at;
	n = strnlen(*text, c->out ? MESSAGE_WORDS - 1 : wire_left(&c->in));
	if (c->out) {
		c->out = mempcpy(c->out, *text, n);
		*c->out++ = 0;
	} else if (n == wire_left(&c->in) || n >= MESSAGE_WORDS) {
		wire_fail(&c->in);
		*text = "";
	} else {
		c->in.at += n + 1;
	}
}

static void records(struct codec *c, struct message_records *r)
{
	FIELD(c, r->from);
	padding(c);
	if (c->out && r->n != 0)
		c->out = mempcpy(c->out, r->bytes, r->n);
	if (!c->out) {
		r->n = (uint32_t)wire_left(&c->in);
		r->bytes = wire_bytes(&c->in, r->n);
	}
}

static void payload_walk(struct codec *c, struct message *m)
{
	uint32_t again;

	switch (m->type) {
	case MESSAGE_HELLO:
		FIELD(c, m->hello.format);
		FIELD(c, m->hello.flags);
		FIELD(c, m->hello.pid);
		padding(c);
		FIELD(c, m->hello.start_ns);
		words(c, &m->hello.token);
		words(c, &m->hello.program);
		break;
	case MESSAGE_REFUSED:
		again = m->refused.again;
		FIELD(c, again);
		m->refused.again = again != 0;
		words(c, &m->refused.words);
		break;
	case MESSAGE_CHUNK:
		FIELD(c, m->chunk.head);
		records(c, &m->chunk.rest);
		break;
	case MESSAGE_OPEN:
		FIELD(c, m->open.tid);
		FIELD(c, m->open.number);
		FIELD(c, m->open.first_tseq);
		FIELD(c, m->open.start_ns);
		records(c, &m->open.more);
		break;
	case MESSAGE_DROPPED:
		FIELD(c, m->dropped.tid);
		FIELD(c, m->dropped.from);
		FIELD(c, m->dropped.to);
		padding(c);
		break;
	case MESSAGE_END:
		FIELD(c, m->end.status);
		FIELD(c, m->end.signal);
		FIELD(c, m->end.bytes);
		break;
	case MESSAGE_BYE:
		FIELD(c, m->bye.bytes);
		break;
	default: /* WELCOME may say more one day; PING */
		c->in.at = c->in.end;
	}
}

/* ---- putting ---- */

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
	uint8_t *at = message_buffer_free(b, &room), *payload = at + sizeof(head);
	struct codec c = { .out = payload };
	struct message copy = *m;

	assert(m->type > MESSAGE_NONE && m->type < MESSAGE_NTYPES);
	if (room < sizeof(head) + payload_bound(m))
		return false;
	payload_walk(&c, &copy);
	head.length = (uint32_t)(c.out - payload);
	assert(head.length >= types[m->type].least && head.length <= types[m->type].most);
	head.sum = payload_sum(payload, head.length, head.type);
	memcpy(at, &head, sizeof(head));
	message_buffer_filled(b, sizeof(head) + head.length);
	return true;
}

/* ---- taking ---- */

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
	struct codec c;

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
	c = (struct codec){ .in = { payload, payload + head.length, false } };
	*m = (struct message){ .type = (enum message_type)head.type };
	payload_walk(&c, m);
	if (c.in.bad || c.in.at != c.in.end)
		return diag_fail(d, ST_BAD_INPUT, "a %s message that makes no sense",
				 types[head.type].name);
	b->begin += sizeof(head) + head.length;
	return ST_OK;
}
