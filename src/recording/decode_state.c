/*
 * Records that are no events: they change what the cursor knows.
 */
#include "recording/decode_priv.h"

#include "recording/inputs.h"
#include "recording/stacks.h"
#include "base/wire.h"

bool decode_pad(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	(void)c;
	(void)w;
	item->settled = aux == FORMAT_PAD_SETTLED;
	return true;
}

/* A habit comes back to its seat; before version 3, where there were none, the page of sites. */
bool decode_seat(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	unsigned seat, shelf;

	(void)item;
	if (!decode_has_short(c->chunk)) {
		c->page = wire_u32(w);
		return c->page < 1u << (32 - FORMAT_SITE_BITS);
	}
	seat = wire_byte(w);
	shelf = aux * FORMAT_HABITS + seat;
	if (w->bad || shelf >= FORMAT_SHELVES || !decode_habit_at(c->tables, shelf))
		return false;
	c->tables->seat[seat] = (uint16_t)shelf;
	return true;
}

bool decode_peer(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	uint64_t i = wire_varint(w);
	uint32_t tid = wire_u32(w);

	(void)aux;
	(void)item;
	if (i >= FORMAT_PEERS || tid == 0 || tid >= 1u << FORMAT_TID_BITS)
		return false;
	c->tables->peer[i] = (struct version){ tid, 0 };
	return true;
}

bool decode_stack(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	uint32_t keep = wire_u32(w);
	uint64_t n = wire_varint(w);

	(void)item;
	if (n > wire_left(w))
		return false;
	keep = keep < c->depth ? keep : c->depth;
	c->depth = keep + (uint32_t)n;
	c->stayed = aux == FORMAT_STACK_STAYED ? c->depth : keep < c->stayed ? keep : c->stayed;
	if (c->stacks)
		c->stack = stacks_cut(c->stacks, c->stack, keep);
	/* Cursors that do not follow stacks must find the same damage as those that do. */
	for (; n > 0; n--) {
		uint32_t site = wire_u32(w);

		if (c->stacks)
			c->stack = stacks_push(c->stacks, c->stack, site);
	}
	return true;
}

bool decode_name(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	(void)item;
	if (aux == FORMAT_NAME_STACK) {
		c->stack_low = wire_varint(w);
		c->stack_len = wire_varint(w);
		c->root = wire_left(w) != 0 ? wire_varint(w) : 0; /* older recorders: none */
		return !w->bad && c->stack_len <= UINT64_MAX - c->stack_low;
	}
	c->nname = (uint32_t)wire_left(w);
	c->name = w->at;
	return true;
}

static uint64_t zigzag_take(struct wire *w)
{
	return (uint64_t)format_unzigzag(wire_varint(w));
}

/* What was given to the program here, of what it finds otherwise in every run. */
bool decode_input(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct trace_input in = { .tid = c->tid, .tseq = c->tseq, .what = (uint8_t)aux };

	(void)item;
	in.site = wire_u32(w);
	if (aux == FORMAT_INPUT_RANDOM) {
		in.n = (uint32_t)wire_left(w);
	} else {
		in.seconds = (int64_t)zigzag_take(w);
		in.nanoseconds = aux < FORMAT_INPUT_SECONDS ? wire_u32(w) : 0;
	}
	if (w->bad || in.nanoseconds >= 1000000000)
		return false;
	if (c->inputs)
		inputs_add(c->inputs, &in, w->at);
	return true;
}

bool decode_trailing_take(struct decode_cursor *c, struct wire *w, unsigned aux,
			  struct decode_trailing *out)
{
	uint64_t back = wire_varint(w), size = wire_varint(w);

	if (back > c->tseq || size == 0 || size > 8)
		return false;
	out->after = c->tseq - back;
	out->size = (uint8_t)size;
	out->atomic = aux & FORMAT_TRAILING_ATOMIC;
	out->has_value = !(aux & FORMAT_TRAILING_NOVALUE);
	out->site = wire_u32(w);
	out->addr = decode_addr(c, out->site, wire_varint(w));
	if (!decode_ref(c, wire_varint(w), out->after + 1, &out->ref))
		return false;
	out->value = out->has_value ? wire_varint(w) : 0;
	return !w->bad && decode_span_is_sane(out->addr, size) &&
	       format_words(out->addr, size) == 1 && out->after + 1 >= c->chunk->head.first_tseq;
}

/* Delivered from chunk->trailing; here only the address prediction and the peers move on. */
bool decode_trailing_skip(struct decode_cursor *c, struct wire *w, unsigned aux,
			  struct decode_item *item)
{
	struct decode_trailing trailing;

	(void)item;
	return c->chunk->scanned && decode_trailing_take(c, w, aux, &trailing);
}
