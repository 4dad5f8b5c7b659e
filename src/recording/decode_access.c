/*
 * Records of memory: READ and WRITE, atomics, ranges, and blocks that come and go.  Accesses since
 * version 3 are in decode_habit.c.
 */
#include "recording/decode_priv.h"

#include "base/wire.h"

/* ---- READ and WRITE, before version 3 ---- */

static uint64_t access_address(struct decode_cursor *c, struct wire *w, uint32_t site,
			       unsigned code)
{
	uint64_t addr;

	if (code != FORMAT_NEAR)
		return decode_addr(c, site, wire_fixed(w, format_length(code)));
	addr = c->last_pointer + wire_byte(w) - FORMAT_HOP;
	c->tables->predict[site & (FORMAT_PREDICT - 1)] = addr;
	return addr;
}

bool decode_access(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item)
{
	struct event *e = &item->e;
	unsigned vlen = head >> FORMAT_VLEN_SHIFT & 7, alen = head >> FORMAT_ALEN_SHIFT & 7;
	uint64_t own = c->tseq + 1, value;

	e->site = c->page << FORMAT_SITE_BITS | head >> FORMAT_SITE_SHIFT;
	if (head & FORMAT_ATOMIC)
		e->order = wire_byte(w);
	e->addr = access_address(c, w, e->site, alen);
	if (!decode_ref(c, wire_fixed(w, head >> FORMAT_RLEN_SHIFT & 7), own, &item->ref[0]))
		return false;
	if (head & FORMAT_CROSS) {
		unsigned n = wire_byte(w);

		if (n > 8 || !decode_ref(c, wire_fixed(w, n), own, &item->ref[1]))
			return false;
	}
	value = vlen == FORMAT_NEAR ? e->addr + (uint64_t)(int64_t)(int32_t)wire_fixed(w, 4)
				    : wire_fixed(w, format_length(vlen));
	if (!decode_access_end(c, w, head & 255, value, item))
		return false;
	if (item->reads && e->len == 8 && !(head & (FORMAT_READ_REREAD | FORMAT_CROSS)))
		c->last_pointer = value;
	return true;
}

/* ---- OTHER ---- */

bool decode_rmw(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct event *e = &item->e;
	uint64_t own = c->tseq + 1;

	e->len = (uint64_t)1 << (aux & 3);
	e->flags |= EVENT_ATOMIC | (aux & 4 ? EVENT_FREE_READ : 0);
	e->order = wire_byte(w);
	e->rmw = wire_byte(w);
	e->flags |= e->rmw == FORMAT_RMW_CAS ? EVENT_CAS : 0;
	if (!decode_ref(c, wire_varint(w), own, &item->ref[0]) ||
	    !decode_span_is_sane(e->addr, e->len) || format_words(e->addr, e->len) != 1)
		return false;
	decode_value(item, item->old, wire_varint(w));
	decode_value(item, item->value, wire_varint(w));
	e->old = item->old;
	e->value = item->value;
	if (aux & 8)
		decode_feeds(w, item, own);
	e->refs = item->ref;
	e->nrefs = 1;
	item->replaces = true;
	return true;
}

bool decode_casfail(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct event *e = &item->e;

	e->len = (uint64_t)1 << (aux & 3);
	e->flags |= EVENT_ATOMIC | EVENT_CAS;
	e->order = wire_byte(w);
	if (!decode_ref(c, wire_varint(w), c->tseq + 1, &item->ref[0]) ||
	    !decode_span_is_sane(e->addr, e->len) || format_words(e->addr, e->len) != 1)
		return false;
	decode_value(item, item->value, wire_varint(w));
	e->value = item->value;
	e->refs = item->ref;
	e->nrefs = 1;
	item->reads = true;
	return true;
}

/* addr (after the order byte, which is why the table does not take it) and len, with its refs. */
static bool range_take(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	struct event *e = &item->e;

	if (aux & FORMAT_RANGE_ATOMIC) {
		e->flags |= EVENT_ATOMIC;
		e->order = wire_byte(w);
	}
	e->addr = decode_addr(c, e->site, wire_varint(w));
	e->len = wire_varint(w);
	if (!decode_span_is_sane(e->addr, e->len))
		return false;
	item->numbers = format_words(e->addr, e->len);
	item->is_event = item->numbers != 0; /* nothing was touched */
	item->divisible = !(aux & FORMAT_RANGE_ATOMIC);
	e->flags |= EVENT_RANGE;
	decode_runs(c, w, item, item->numbers, c->tseq + 1, 1);
	return !w->bad && e->nrefs == item->numbers;
}

bool decode_range_read(struct decode_cursor *c, struct wire *w, unsigned aux,
		       struct decode_item *item)
{
	struct event *e = &item->e;

	if (!range_take(c, w, aux, item))
		return false;
	e->flags |= aux & FORMAT_RANGE_FREE ? EVENT_FREE_READ : 0;
	if (!(aux & FORMAT_RANGE_NOVALUE)) {
		e->value = wire_bytes(w, e->len);
		e->flags |= EVENT_HAS_VALUE;
	}
	item->reads = true;
	c->copy = e->value;
	c->copy_len = e->len;
	c->copy_tseq = c->tseq + 1;
	c->copy_fresh = true;
	return true;
}

bool decode_range_write(struct decode_cursor *c, struct wire *w, unsigned aux,
			struct decode_item *item)
{
	struct event *e = &item->e;

	if (!range_take(c, w, aux, item))
		return false;
	if (aux & FORMAT_RANGE_FED)
		decode_feeds(w, item, c->tseq + 1);
	e->flags |= aux & (FORMAT_RANGE_COPY | FORMAT_RANGE_WHOLE) ? EVENT_COPY : 0;
	if (aux & FORMAT_RANGE_COPY) {
		if (c->copy_fresh && c->copy_len == e->len)
			e->value = c->copy;
		if (c->copy_fresh && !(aux & FORMAT_RANGE_FED) && item->numbers != 0)
			decode_feed(item, c->copy_tseq);
	} else if (aux & FORMAT_RANGE_FILL) {
		uint8_t byte = wire_byte(w);

		VEC_RESERVE(&item->fill, e->len ? e->len : 1);
		memset(item->fill.at, byte, e->len);
		e->value = item->fill.at;
	} else if (!(aux & FORMAT_RANGE_NOVALUE)) {
		e->value = wire_bytes(w, e->len);
	}
	e->flags |= e->value ? EVENT_HAS_VALUE : 0;
	e->flags |= aux & FORMAT_RANGE_BEGUN ? EVENT_BEGUN : 0;
	item->replaces = true;
	return true;
}

bool decode_extent(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct event *e = &item->e;
	bool freed = e->op == EVENT_FREE;

	e->len = wire_varint(w);
	e->arg = aux & FORMAT_ALLOC_KIND;
	if (freed && e->arg == FORMAT_ALLOC_FRAME)
		e->flags |= EVENT_SCOPE;
	if (!freed && (aux & FORMAT_ALLOC_ZEROED))
		e->flags |= EVENT_ZEROED;
	if (!freed && (aux & FORMAT_ALLOC_SHARED))
		e->flags |= EVENT_SHARED;
	if (!freed && (aux & FORMAT_ALLOC_STEADY))
		e->flags |= EVENT_STEADY;
	if (aux & FORMAT_ALLOC_BIG) {
		item->chained = true;
		return e->len <= UINT64_MAX - e->addr &&
		       decode_ref(c, wire_varint(w), c->tseq + 1, &item->before[0]) &&
		       (item->nbefore = item->before[0].tid != 0, true);
	}
	if (!freed && e->arg == FORMAT_ALLOC_FRAME) {
		if (!decode_span_is_sane(e->addr, e->len))
			return false;
		decode_runs(c, w, item, format_words(e->addr, e->len), c->tseq + 1, 0);
		item->replaces = true;
		return e->nrefs == format_words(e->addr, e->len);
	}
	if (!freed) {
		/* Versions found, in no relation to words: it comes after them, no more. */
		decode_runs(c, w, item, DECODE_RANGE_WORDS, c->tseq + 1, 0);
		return e->len <= UINT64_MAX - e->addr;
	}
	if (!decode_span_is_sane(e->addr, e->len))
		return false;
	item->numbers = format_words(e->addr, e->len);
	decode_runs(c, w, item, item->numbers, c->tseq + 1, 1);
	item->is_event = item->numbers != 0;
	item->divisible = true;
	e->flags |= EVENT_RANGE;
	item->replaces = true;
	return e->nrefs == item->numbers;
}
