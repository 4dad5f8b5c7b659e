/*
 * Walking a chunk: records in order, TRAILING reads put back where they belong.
 *
 * A TRAILING record comes after the events it belongs between, so a chunk that has any is
 * walked once when it is loaded.  So is an open chunk, for its head does not say yet whether it has.
 */
#include "recording/decode.h"

#include "recording/decode_priv.h"
#include "base/wire.h"

/* ---- cursors ---- */

static void item_clear(struct decode_item *item)
{
	mem_zero(&item->e, sizeof(item->e));
	item->numbers = 0;
	item->is_event = false;
	item->reads = item->replaces = item->chained = item->divisible = false;
	item->nbefore = 0;
	/* One huge range must not keep its room for ever. */
	if (item->refs.capacity > 4096)
		VEC_RELEASE(&item->refs);
	if (item->fill.capacity > 65536)
		VEC_RELEASE(&item->fill);
}

void decode_item_release(struct decode_item *item)
{
	VEC_RELEASE_ALL(&item->refs, &item->feeds, &item->fill);
}

#define BOARD_BYTES (DECODE_BOARD * sizeof(struct decode_habit))

/* Empties them; boards that are there stay. */
static void tables_clear(struct decode_tables *t)
{
	struct decode_habit *boards[DECODE_BOARDS];

	memcpy(boards, t->boards, sizeof(boards));
	mem_zero(t, sizeof(*t));
	memcpy(t->boards, boards, sizeof(boards));
	for (size_t i = 0; i < DECODE_BOARDS; i++)
		if (boards[i])
			mem_zero(boards[i], BOARD_BYTES);
}

static struct decode_tables *tables_copy(const struct decode_tables *from)
{
	struct decode_tables *t = mem_alloc(sizeof(*t));

	*t = *from;
	for (size_t i = 0; i < DECODE_BOARDS; i++)
		if (from->boards[i]) {
			t->boards[i] = mem_alloc(BOARD_BYTES);
			memcpy(t->boards[i], from->boards[i], BOARD_BYTES);
		}
	return t;
}

void decode_cursor_begin(struct decode_cursor *c, struct decode_chunk *chunk)
{
	*c = (struct decode_cursor){ .chunk = chunk,
				     .tables = c->tables,
				     .stacks = c->stacks,
				     .inputs = c->inputs,
				     .tid = c->tid,
				     .tseq = chunk->head.first_tseq - 1,
				     .nsettled = c->nsettled,
				     .nsynced = c->nsynced };
	if (c->tables)
		tables_clear(c->tables);
}

void decode_cursor_copy(struct decode_cursor *c, const struct decode_cursor *from)
{
	*c = *from;
	if (from->tables)
		c->tables = tables_copy(from->tables);
}

void decode_cursor_release(struct decode_cursor *c)
{
	for (size_t i = 0; c->tables && i < DECODE_BOARDS; i++)
		mem_free(c->tables->boards[i]);
	mem_free(c->tables);
	c->tables = NULL;
}

bool decode_is_repeatable(const struct event *e)
{
	return e->op == EVENT_READ && e->nrefs == 1 &&
	       !(e->flags & (EVENT_FREE_READ | EVENT_RANGE | EVENT_REREAD));
}

static void trailing_deliver(struct decode_cursor *c, struct decode_item *item)
{
	const struct decode_trailing *l = &c->chunk->trailing.at[c->trailing++];
	struct event *e = &item->e;

	item_clear(item);
	e->op = EVENT_READ;
	e->tid = c->tid;
	e->tseq = l->after;
	e->flags = EVENT_REREAD | (l->atomic ? EVENT_ATOMIC : 0) |
		   (l->has_value ? EVENT_HAS_VALUE : 0);
	e->site = l->site;
	e->stack = c->stack;
	e->depth = c->depth;
	e->stayed = c->stayed;
	c->stayed = c->depth;
	e->addr = l->addr;
	e->len = l->size;
	item->ref[0] = l->ref;
	e->refs = item->ref;
	e->nrefs = 1;
	memcpy(item->value, &l->value, 8);
	e->value = l->has_value ? item->value : NULL;
	item->reads = !l->doubtful; /* a read that may not have happened orders nothing */
	item->is_event = true;
	if (l->doubtful)
		e->flags |= EVENT_UNKNOWN;
}

/* The head of the record at the cursor, 0 where there is none.  A lean head is one byte and may be the
 * last of the chunk.  Leaves the wire where the body begins. */
static uint32_t head_take(const struct decode_cursor *c, struct wire *w)
{
	const struct decode_chunk *k = c->chunk;
	uint32_t head = 0, left = k->n - c->at;
	bool lean = left != 0 && (k->bytes[c->at] & FORMAT_FORM) == FORMAT_LEAN;

	*w = (struct wire){ k->bytes + c->at, k->bytes + k->n, false };
	if (lean && *w->at == 0)
		memcpy(&head, w->at, left < 4 ? left : 4);
	else if (lean)
		head = wire_byte(w);
	else if (left >= 2 && decode_has_short(k) && (*w->at & FORMAT_FORM) != FORMAT_OTHER)
		head = (uint32_t)wire_fixed(w, 2);
	else if (left >= 4)
		head = (uint32_t)wire_fixed(w, 4);
	return head;
}

static void tables_ready(struct decode_cursor *c)
{
	if (!c->tables)
		c->tables = mem_zalloc(sizeof(*c->tables));
}

/* One record at the cursor: 1 taken, 0 the end, -1 damage. */
static int record_take(struct decode_cursor *c, struct decode_item *item)
{
	const struct decode_chunk *k = c->chunk;
	struct wire w;
	bool was_copy = c->copy_fresh, was_due = c->write.is_due;
	uint32_t head = head_take(c, &w);

	if (head == 0 && !was_due)
		return k->head.closed && k->n != c->at ? -1 : 0;
	/* Just being written: it may have been copied in part. */
	if (k->head.in_slot && !k->head.closed && c->at >= k->head.seen && !was_due)
		return 0;
	item_clear(item);
	tables_ready(c);
	if (was_due ? !decode_due(c, item) : !decode_record(c, &w, head, item))
		return -1;
	if (!was_due)
		c->at = (uint32_t)(w.at - k->bytes);
	c->nsettled += item->settled;
	c->nsynced += item->sync;
	if (item->is_event) {
		item->e.tid = c->tid;
		item->e.tseq = c->tseq + (item->numbers != 0);
		item->e.stack = c->stack;
		item->e.depth = c->depth;
		item->e.stayed = c->stayed;
		c->stayed = c->depth;
		c->tseq += item->numbers;
		/* Only the event right before counts as the source of a COPY. */
		if (was_copy && c->copy_tseq != item->e.tseq)
			c->copy_fresh = false;
	}
	return 1;
}

static void chunk_break(struct decode_cursor *c, struct texts *notes, const char *why)
{
	struct decode_chunk *k = c->chunk;

	k->broken = true;
	k->n = c->at;
	if (notes)
		texts_note(
			notes, "%s of T%u at offset %llu: nothing of T%u after event %llu is used",
			why, c->tid,
			(unsigned long long)(k->head.offset + sizeof(struct format_chunk) + c->at),
			c->tid, (unsigned long long)c->tseq);
}

bool decode_next(struct decode_cursor *c, struct decode_item *item, struct texts *notes)
{
	struct decode_chunk *k = c->chunk;

	for (;;) {
		int r;

		if (c->trailing < k->trailing.n && k->trailing.at[c->trailing].after <= c->tseq) {
			trailing_deliver(c, item);
			return true;
		}
		r = record_take(c, item);
		if (r > 0 && item->is_event)
			return true;
		if (r > 0)
			continue;
		if (r < 0)
			chunk_break(c, notes, "damaged record");
		else if (k->head.closed && !k->broken &&
			 c->tseq + 1 - k->head.first_tseq != k->head.nevents)
			chunk_break(c, notes, "a chunk with a wrong number of events");
		return false;
	}
}

/* ---- chunks ---- */

/* In the order of their records, for there may be several after one event. */
static int trailing_order(const void *x, const void *y)
{
	const struct decode_trailing *a = x, *b = y;

	return SORT_ORDER(a->after, b->after) ?: SORT_ORDER(a->record, b->record);
}

static void doubt_note(struct decode_doubt *d, const struct decode_cursor *c,
		       const struct decode_item *item)
{
	const struct event *e = &item->e;
	uint64_t tseq = c->tseq;

	if (item->settled) {
		d->has_settled = true;
		d->settled = tseq;
		d->settled_at = c->at;
		if (item->sync) {
			d->has_sync = true;
			d->has_read = false;
		}
	} else if (item->is_event && !d->has_read && decode_is_repeatable(e) &&
		   !c->write.is_due) { /* an update writes the word itself */
		d->has_read = true;
		d->read_at = c->at;
		d->read = (struct decode_trailing){ .after = tseq,
						    .addr = e->addr,
						    .ref = item->ref[0],
						    .site = e->site,
						    .size = (uint8_t)e->len,
						    .atomic = e->flags & EVENT_ATOMIC,
						    .doubtful = true };
	}
}

/* Gathers TRAILING records, finds the end of an open chunk, and what may be missing after it. */
static void chunk_scan(struct decode_chunk *k, uint32_t tid, struct decode_doubt *doubt,
		       struct texts *notes)
{
	struct decode_cursor cursor = { .tid = tid }, *c = &cursor;
	struct decode_item item = { 0 };
	int r;

	decode_cursor_begin(c, k);
	tables_ready(c);
	k->scanned = true;
	memset(doubt, 0, sizeof(*doubt));
	for (;;) {
		struct wire w, body;
		uint32_t head = head_take(c, &w);

		if (!c->write.is_due && (head & FORMAT_FORM) == FORMAT_OTHER &&
		    (head >> FORMAT_KIND_SHIFT & FORMAT_KIND_MASK) == FORMAT_K_TRAILING) {
			struct decode_trailing trailing = { 0 };

			body = wire_part(&w, head >> FORMAT_LEN_SHIFT);
			r = !w.bad && decode_trailing_take(c, &body, head >> FORMAT_AUX_SHIFT & 255,
							   &trailing)
				    ? 1
				    : -1;
			if (r > 0) {
				trailing.record = c->at;
				*VEC_PUSH(&k->trailing) = trailing;
				c->at = (uint32_t)(w.at - k->bytes);
				continue;
			}
		} else {
			r = record_take(c, &item);
		}
		if (r <= 0)
			break;
		doubt_note(doubt, c, &item);
	}
	if (r < 0)
		chunk_break(c, notes, "damaged record");
	else
		k->n = c->at;
	SORT_VEC(&k->trailing, trailing_order);
	decode_item_release(&item);
	decode_cursor_release(c);
}

static struct decode_chunk *chunk_make(const struct blocks_chunk *head, uint8_t *bytes, uint32_t n)
{
	struct decode_chunk *k = mem_zalloc(sizeof(*k));

	k->head = *head;
	k->bytes = bytes;
	k->n = n;
	return k;
}

struct decode_chunk *decode_chunk_new(uint32_t tid, const struct blocks_chunk *head, uint8_t *bytes,
				      uint32_t n, bool ends, struct texts *notes)
{
	struct decode_chunk *k = chunk_make(head, bytes, n);
	struct decode_doubt doubt;

	if (!head->closed || head->ntrailing != 0 || ends) {
		chunk_scan(k, tid, &doubt, notes);
		if (!head->closed)
			k->bytes = mem_resize(k->bytes, k->n ? k->n : 1);
		if ((ends || k->broken) && doubt.has_read) {
			if (doubt.has_settled && doubt.settled > doubt.read.after)
				doubt.read.after = doubt.settled;
			decode_chunk_doubt(k, doubt.read);
		}
	}
	return k;
}

/* How many bytes are settled, by the rule at struct decode_doubt, looking at this chunk alone. */
static uint32_t chunk_settled(const struct decode_chunk *k, const struct decode_doubt *d,
			      bool carried)
{
	uint32_t settled = d->has_settled ? d->settled_at : 0;

	if (carried && !d->has_sync)
		return settled;
	if (!d->has_read)
		return k->n;
	return d->read_at > settled ? d->read_at : settled;
}

/* Walks it, and cuts it to what is settled unless it is all there will be. */
static void chunk_settle(struct decode_chunk *k, uint32_t tid, bool carried, bool all,
			 struct texts *notes)
{
	struct texts unheard = { 0 };
	struct decode_doubt doubt;

	chunk_scan(k, tid, &doubt, all ? notes : &unheard);
	texts_release(&unheard);
	k->whole = k->n;
	if (all)
		return;
	k->broken = false; /* a record that is not all there yet */
	k->n = chunk_settled(k, &doubt, carried);
}

struct decode_chunk *decode_chunk_open(uint32_t tid, const struct blocks_chunk *head,
				       uint8_t *bytes, uint32_t n, bool carried)
{
	struct decode_chunk *k = chunk_make(head, bytes, n);

	k->room = n;
	chunk_settle(k, tid, carried, false, NULL);
	return k;
}

/* The first n TRAILING records are where they were. */
static bool trailing_is_same(const struct decode_chunk *a, const struct decode_chunk *b, uint32_t n)
{
	if (a->trailing.n < n || b->trailing.n < n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (a->trailing.at[i].after != b->trailing.at[i].after)
			return false;
	return true;
}

bool decode_chunk_grow(const struct decode_cursor *c, const struct blocks_chunk *head,
		       const uint8_t *bytes, uint32_t n, bool carried, bool whole,
		       struct texts *notes)
{
	struct decode_chunk *k = c->chunk, more = *k;

	if (n > k->room || n < k->n || head->first_tseq != k->head.first_tseq)
		return false;
	memcpy(k->bytes + k->n, bytes + k->n, n - k->n);
	more.head = *head;
	more.n = n;
	memset(&more.trailing, 0, sizeof(more.trailing));
	chunk_settle(&more, c->tid, carried, head->closed || whole, notes);
	/* The file has lost records that were there before: keep what was read. */
	if (more.n < k->n || !trailing_is_same(k, &more, c->trailing)) {
		VEC_RELEASE(&more.trailing);
		return false;
	}
	VEC_RELEASE(&k->trailing);
	*k = more;
	return true;
}

void decode_doubt_learn(uint32_t tid, const struct blocks_chunk *head, uint8_t *bytes, uint32_t n,
			struct decode_doubt *out)
{
	struct decode_chunk *k = chunk_make(head, bytes, n);
	struct texts unheard = { 0 };

	chunk_scan(k, tid, out, &unheard);
	decode_chunk_free(k);
	texts_release(&unheard);
}

void decode_chunk_doubt(struct decode_chunk *c, struct decode_trailing read)
{
	size_t i = c->trailing.n;

	*VEC_PUSH(&c->trailing) = read;
	for (; i > 0 && c->trailing.at[i - 1].after > read.after; i--)
		c->trailing.at[i] = c->trailing.at[i - 1];
	c->trailing.at[i] = read;
}

void decode_chunk_free(struct decode_chunk *c)
{
	if (!c)
		return;
	VEC_RELEASE(&c->trailing);
	mem_free(c->bytes);
	mem_free(c);
}
