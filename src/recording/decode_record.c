/*
 * Decoding records.
 *
 * A record decodes wholly or not at all: bodies are read through struct wire,
 * which remembers a read past the end, and everything that a later stage
 * relies on (word counts, event numbers, thread ids) is checked here and in the files beside.
 *
 * Payload shapes repeat, so OTHER kinds are a table, FORMAT_KINDS: which event, which common parts
 * its payload begins with, and a small function for what is special.
 */
#include "recording/decode_priv.h"

#include "base/wire.h"

/* How a kind's payload starts, and what it is to the merger. */
#define SITE 1u		/* site */
#define ADDR 2u		/* addr */
#define REF 4u		/* ref of the word at addr */
#define ORDER 8u	/* a byte, the memory order */
#define LOCK 16u	/* aux is a lock's */
#define ARG 32u		/* one varint, into arg */
#define PEER 64u	/* tid, into peer */
#define SYNC 128u	/* ends the epoch of the filter */
#define UNNUMBERED 512u /* an event without a number */
#define KIND 1024u	/* aux is the kind of the object */
#define CODE 2048u	/* aux, into arg */
#define TIMED 4096u	/* aux says whether the wait can end by itself */

struct shape {
	uint8_t op; /* EVENT_NOPS: no event */
	uint16_t has;
	decode_rest *rest;
};

#define REMARK (SITE | ADDR | REF)
#define OBJECT (REMARK | SYNC)

#define decode_plain NULL

static const struct shape shapes[FORMAT_NKINDS] = {
#define X(id, event, payload, rest) { EVENT_##event, payload, decode_##rest },
	FORMAT_KINDS(X)
#undef X
};

unsigned decode_kind(uint32_t head, struct wire *w)
{
	unsigned kind = head >> FORMAT_KIND_SHIFT & FORMAT_KIND_MASK;
	uint64_t more = kind == FORMAT_K_MORE ? wire_varint(w) : 0;

	return kind < FORMAT_K_MORE	     ? kind
	       : more < FORMAT_NKINDS - kind ? kind + 1 + (unsigned)more
					     : FORMAT_NKINDS;
}

/* The parts that many kinds have, in this order.  False: damage. */
static bool parts_take(struct decode_cursor *c, const struct shape *s, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	struct event *e = &item->e;

	if (s->has & SITE)
		e->site = wire_u32(w);
	if (s->has & ADDR)
		e->addr = decode_addr(c, e->site, wire_varint(w));
	if (s->has & REF) {
		if (!decode_ref(c, wire_varint(w), c->tseq + 1, &item->ref[0]))
			return false;
		e->refs = item->ref;
		e->nrefs = 1;
		item->reads = event_op_life(e->op) & EVENT_LIFE_KEEPS;
		item->replaces = !item->reads;
	}
	if (s->has & LOCK)
		decode_lock(e, aux);
	if (s->has & ARG)
		e->arg = wire_varint(w);
	if (s->has & PEER)
		e->peer = wire_u32(w);
	if (s->has & ORDER)
		e->order = wire_byte(w);
	if (s->has & KIND)
		e->lock_kind = (uint8_t)aux;
	if (s->has & CODE)
		e->arg = aux;
	if ((s->has & TIMED) && (aux & FORMAT_WAIT_TIMED))
		e->flags |= EVENT_TRY;
	return e->peer < 1u << FORMAT_TID_BITS;
}

static bool other_take(struct decode_cursor *c, struct wire *w, uint32_t head,
		       struct decode_item *item)
{
	unsigned kind, aux = head >> FORMAT_AUX_SHIFT & 255;
	struct wire body = wire_part(w, head >> FORMAT_LEN_SHIFT);
	const struct shape *s;

	if (w->bad)
		return false;
	kind = decode_kind(head, &body);
	if (kind >= FORMAT_NKINDS)
		return true;
	s = &shapes[kind];
	item->is_event = s->op != EVENT_NOPS;
	item->numbers = item->is_event && !(s->has & UNNUMBERED);
	item->e.op = item->is_event ? s->op : 0;
	item->sync = item->settled = s->has & SYNC;
	if (!parts_take(c, s, &body, aux, item))
		return false;
	if (s->rest && !s->rest(c, &body, aux, item))
		return false;
	if (kind == FORMAT_K_ACQ || kind == FORMAT_K_REL)
		decode_lean_learn(c, kind, aux, item);
	return !body.bad;
}

bool decode_record(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item)
{
	unsigned form = head & FORMAT_FORM;
	bool good = form == FORMAT_LEAN		 ? decode_lean(c, w, head, item)
		    : form == FORMAT_OTHER	 ? other_take(c, w, head, item)
		    : decode_has_short(c->chunk) ? decode_short(c, w, head, item)
						 : decode_access(c, w, head, item);

	return good && !w->bad && c->tseq + item->numbers <= DECODE_TSEQ_MAX;
}
