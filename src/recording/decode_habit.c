/*
 * Accesses: whole records, short ones, and the habits that these refer to.
 *
 * Short records know a version as one number, thread and event number together, as cells do: the
 * difference of two events of one thread is small.
 */
#include "recording/decode_priv.h"

#include "base/wire.h"

/* False: no event before this one has that name. */
static bool version_unpack(const struct decode_cursor *c, uint64_t packed, struct version *out)
{
	*out = decode_unpack(packed);
	if (packed == 0)
		return true;
	return packed >> (FORMAT_TSEQ_BITS + FORMAT_TID_BITS) == 0 && out->tid != 0 &&
	       out->tseq != 0 && (out->tid != c->tid || out->tseq <= c->tseq);
}

static bool is_reread(unsigned access)
{
	return (access & FORMAT_FORM) == FORMAT_READ && (access & FORMAT_READ_REREAD);
}

static bool is_update(unsigned access)
{
	return (access & FORMAT_FORM) == FORMAT_UPDATE;
}

/* A kind of access that there is.  Updates are neither atomic nor of two words. */
static bool is_known(const struct decode_cursor *c, unsigned access)
{
	return is_update(access) ? decode_has_updates(c->chunk) &&
					   (access & (FORMAT_ATOMIC | FORMAT_CROSS)) == 0
				 : (access & FORMAT_FORM) != 0;
}

/* ---- what all records of accesses have in common ---- */

/* Checks address and value against what the access is, and fills the item. */
bool decode_access_end(struct decode_cursor *c, struct wire *w, unsigned access, uint64_t value,
		       struct decode_item *item)
{
	struct event *e = &item->e;
	bool read = (access & FORMAT_FORM) == FORMAT_READ;
	uint64_t own = c->tseq + 1;

	e->op = read ? EVENT_READ : EVENT_WRITE;
	e->len = (uint64_t)1 << (access >> FORMAT_SIZE_SHIFT & 3);
	e->refs = item->ref;
	e->nrefs = access & FORMAT_CROSS ? 2 : 1;
	e->flags |= access & FORMAT_ATOMIC ? EVENT_ATOMIC : 0;
	if (!decode_span_is_sane(e->addr, e->len) || format_words(e->addr, e->len) != e->nrefs ||
	    (e->len < 8 && value >> 8 * e->len != 0))
		return false;
	item->reads = read;
	item->replaces = !read;
	item->is_event = true;
	item->numbers = is_reread(access) ? 0 : 1;
	if (is_reread(access)) { /* tells a version, no bytes, takes no number */
		e->flags |= EVENT_REREAD;
	} else {
		decode_value(item, item->value, value);
		e->value = item->value;
	}
	if (read) {
		e->flags |= access & FORMAT_READ_FREE ? EVENT_FREE_READ : 0;
	} else if (access & FORMAT_WRITE_FED) {
		decode_feeds(w, item, own);
	} else if (access & FORMAT_WRITE_FED1) {
		if (own == 1)
			return false;
		decode_feed(item, own - 1);
	}
	return !w->bad;
}

/* ---- habits ---- */

static void habit_remember(struct decode_cursor *c, struct decode_habit *p,
			   const struct decode_item *item, uint64_t value)
{
	uint64_t version = decode_pack(item->ref[0]);

	p->addr = item->e.addr;
	if ((item->reads && !is_update(p->access)) || version != p->own)
		p->version = version;
	c->last_version = version;
	c->last_addr = p->addr;
	if (is_reread(p->access))
		return;
	p->value = value;
	if (item->reads) {
		c->last_read[1] = c->last_read[0];
		c->last_read[0] = value;
	} else {
		p->own = decode_pack((struct version){ c->tid, c->tseq + 1 });
	}
	if (is_update(p->access)) {
		p->own = decode_pack((struct version){ c->tid, c->tseq + 2 });
		p->value = value + p->added;
		if (item->e.len < 8)
			p->value &= ((uint64_t)1 << 8 * item->e.len) - 1;
	}
}

/* An update: what it does first, and what it does then, as plain accesses. */
static unsigned access_first(unsigned access)
{
	return is_update(access) ? FORMAT_READ | (access & 3u << FORMAT_SIZE_SHIFT) |
					   (access & FORMAT_UPDATE_FED ? FORMAT_READ_FREE : 0)
				 : access;
}

static void write_expect(struct decode_cursor *c, const struct decode_habit *p,
			 const struct decode_item *item)
{
	if (!is_update(p->access))
		return;
	c->write.is_due = true;
	c->write.access = FORMAT_WRITE | (p->access & 3u << FORMAT_SIZE_SHIFT) |
			  (p->access & FORMAT_UPDATE_FED ? FORMAT_WRITE_FED1 : 0);
	c->write.site = p->to;
	c->write.addr = p->addr;
	c->write.value = p->value;
	c->write.replaced = item->ref[0];
}

bool decode_due(struct decode_cursor *c, struct decode_item *item)
{
	struct wire none = { NULL, NULL, false };

	c->write.is_due = false;
	item->e.site = c->write.site;
	item->e.addr = c->write.addr;
	item->ref[0] = c->write.replaced;
	return c->tseq < DECODE_TSEQ_MAX &&
	       decode_access_end(c, &none, c->write.access, c->write.value, item);
}

/* Of an access that touches two words: from the first one's. */
static bool second_take(const struct decode_cursor *c, struct wire *w, struct decode_item *item)
{
	uint64_t packed = decode_pack(item->ref[0]) + (uint64_t)format_unzigzag(wire_varint(w));

	return version_unpack(c, packed, &item->ref[1]);
}

bool decode_whole(struct decode_cursor *c, struct wire *w, unsigned aux, struct decode_item *item)
{
	struct event *e = &item->e;
	unsigned shelf = decode_has_shelves(c->chunk) ? format_shelf(e->site, aux)
						      : format_seat_of_old(e->site, aux);
	struct decode_habit **board = &c->tables->boards[shelf / DECODE_BOARD], *p;
	uint64_t value, added = 0;
	uint32_t to = 0;

	if (!is_known(c, aux))
		return false;
	if (aux & FORMAT_ATOMIC)
		e->order = wire_byte(w);
	e->addr = wire_varint(w);
	if (!decode_ref(c, wire_varint(w), c->tseq + 1, &item->ref[0]) ||
	    ((aux & FORMAT_CROSS) && !second_take(c, w, item)))
		return false;
	value = wire_varint(w);
	if (is_update(aux)) {
		to = wire_u32(w);
		added = (uint64_t)format_unzigzag(wire_varint(w));
	}
	if (!*board)
		*board = mem_zalloc(DECODE_BOARD * sizeof(**board));
	p = &(*board)[shelf % DECODE_BOARD];
	*p = (struct decode_habit){ .site = e->site,
				    .access = (uint8_t)aux,
				    .order = e->order,
				    .to = to,
				    .added = added,
				    .stride = (uint64_t)1 << (aux >> FORMAT_SIZE_SHIFT & 3) };
	c->tables->seat[shelf % FORMAT_HABITS] = (uint16_t)shelf;
	if (!decode_access_end(c, w, access_first(aux), value, item))
		return false;
	habit_remember(c, p, item, value);
	write_expect(c, p, item);
	return true;
}

static bool short_ref(struct decode_cursor *c, struct wire *w, const struct decode_habit *p,
		      unsigned code, struct decode_item *item)
{
	uint64_t packed = p->version;
	unsigned n;

	switch (code) {
	case FORMAT_R_SAME:
		break;
	case FORMAT_R_NEAR:
		packed += (uint64_t)wire_byte(w) - FORMAT_R_WINDOW / 2;
		break;
	case FORMAT_R_OWN:
		packed = p->own;
		break;
	default:
		n = wire_byte(w);
		if (n < FORMAT_R_FIRST)
			return decode_ref(c, wire_fixed(w, n), c->tseq + 1, &item->ref[0]);
		packed = c->last_version + n - FORMAT_R_FIRST - FORMAT_R_LAST_WINDOW / 2;
	}
	return version_unpack(c, packed, &item->ref[0]);
}

static bool short_address(const struct decode_cursor *c, struct wire *w, struct decode_habit *p,
			  unsigned code, uint64_t *addr)
{
	uint64_t d = 0;
	unsigned n;

	switch (code) {
	case FORMAT_A_SAME:
		break;
	case FORMAT_A_STRIDE:
		d = p->stride;
		break;
	case FORMAT_A_NEAR:
		d = (uint64_t)format_unzigzag(wire_fixed(w, 2));
		break;
	default:
		n = wire_byte(w);
		if (n < FORMAT_A_FAR)
			d = c->last_read[0] + n - FORMAT_HOP - p->addr;
		else if (n < FORMAT_A_LAST)
			d = (uint64_t)format_unzigzag(wire_fixed(w, n - FORMAT_A_FAR));
		else
			d = c->last_addr + n - FORMAT_A_LAST - FORMAT_A_LAST_WINDOW / 2 - p->addr;
	}
	*addr = p->addr + d;
	if (d != 0)
		p->stride = d;
	return true;
}

static bool short_value(const struct decode_cursor *c, struct wire *w, const struct decode_habit *p,
			unsigned code, uint64_t addr, uint64_t *value)
{
	unsigned n;

	switch (code) {
	case FORMAT_V_SAME:
		*value = p->value;
		return true;
	case FORMAT_V_READ:
	case FORMAT_V_READ2:
		*value = c->last_read[code - FORMAT_V_READ];
		return true;
	case FORMAT_V_ADDRESS:
		*value = addr + (uint64_t)(int64_t)(int32_t)wire_fixed(w, 4);
		return true;
	case FORMAT_V_LONG:
		n = wire_byte(w);
		if (n >= FORMAT_V_STEP && n < FORMAT_V_TOP) {
			*value = c->last_read[0] + n - FORMAT_V_STEP - FORMAT_V_STEP_WINDOW / 2;
			return true;
		}
		if ((n & ~FORMAT_V_TOP) > 8 || n == FORMAT_V_TOP)
			return false;
		*value = wire_fixed(w, n & ~FORMAT_V_TOP);
		if (n & FORMAT_V_TOP)
			*value <<= 64 - 8 * (n & ~FORMAT_V_TOP);
		return true;
	default:
		*value = wire_fixed(w, 1u << (code - FORMAT_V_1));
		return true;
	}
}

bool decode_short(struct decode_cursor *c, struct wire *w, uint32_t head, struct decode_item *item)
{
	unsigned seat = ((head & FORMAT_FORM) - 1) << 7 | head >> FORMAT_HABIT_SHIFT;
	unsigned shelf = c->tables->seat[seat];
	struct decode_habit *p = decode_habit_at(c->tables, shelf);
	struct event *e = &item->e;
	uint64_t value;

	if (shelf % FORMAT_HABITS != seat || !p)
		return false;
	e->site = p->site;
	e->order = p->order;
	if (!short_ref(c, w, p, head >> FORMAT_R_SHIFT & 3, item) ||
	    ((p->access & FORMAT_CROSS) && !second_take(c, w, item)) ||
	    !short_address(c, w, p, head >> FORMAT_A_SHIFT & 3, &e->addr) ||
	    !short_value(c, w, p, head >> FORMAT_V_SHIFT & 7, e->addr, &value))
		return false;
	if (is_update(p->access) && (p->access & FORMAT_UPDATE_BY))
		p->added = (uint64_t)(int64_t)(int16_t)wire_fixed(w, 2);
	if (!decode_access_end(c, w, access_first(p->access), value, item))
		return false;
	habit_remember(c, p, item, value);
	write_expect(c, p, item);
	return true;
}
