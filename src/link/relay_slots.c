/*
 * Chunks that are being written.
 *
 * The thread that owns a slot writes on while we read.  A record is there when its head is, so the
 * bytes up to the last whole record do not change any more; they are found by decoding.  The slot
 * may be given to another chunk at any time: its head is looked at again after its bytes.  A record
 * that was torn in the reading would be sent wrong; the bytes are read a second time, after the
 * last head was seen, and what was sent is held against the closed chunk in the end.
 */

#include "link/relay_priv.h"
#include "recording/blocks.h"
#include "recording/decode.h"

void relay_slots_add(struct relay *r, const struct format_slots *s, uint64_t offset)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct relay_slot *slot = VEC_PUSH(&r->slots);

		memset(slot, 0, sizeof(*slot));
		slot->offset = offset + s->first + (uint64_t)i * s->size;
		slot->size = s->size < FORMAT_SLOT_SIZE ? s->size : FORMAT_SLOT_SIZE;
	}
}

static bool is_same(const struct format_chunk *a, const struct format_chunk *b)
{
	return a->magic == b->magic && a->tid == b->tid && a->number == b->number &&
	       a->first_tseq == b->first_tseq;
}

/* The head as it is now; false: there is no chunk. */
static bool head_read(const struct relay *r, const struct relay_slot *s, struct format_chunk *c)
{
	return relay_read(r, s->offset, c, sizeof(*c)) == sizeof(*c) && blocks_head_is_sane(c);
}

/* Of n bytes, those of whole records. */
static uint32_t whole_records(const struct relay *r, const struct format_chunk *c,
			      const uint8_t *bytes, uint32_t n)
{
	struct blocks_chunk head = { .first_tseq = c->first_tseq ? c->first_tseq : 1,
				     .number = c->number,
				     .version = r->file.version,
				     .room = n };
	uint8_t *copy = mem_alloc(n + 1);
	struct texts notes = { 0 };
	struct decode_chunk *k;
	uint32_t extent;

	memcpy(copy, bytes, n);
	k = decode_chunk_new(c->tid, &head, copy, n, false, &notes);
	extent = k->n;
	decode_chunk_free(k);
	texts_release(&notes);
	return extent;
}

/* Has the chunk grown since the last look?  A record's first byte is never 0. */
static bool has_more(const struct relay *r, const struct relay_slot *s)
{
	uint8_t byte = 0;

	return s->extent + sizeof(s->head) < s->size &&
	       relay_read(r, s->offset + sizeof(s->head) + s->extent, &byte, 1) == 1 && byte != 0;
}

static void slot_look(struct relay *r, struct relay_slot *s)
{
	struct format_chunk before = s->head, now;
	uint64_t n;

	s->looked = r->looks;
	s->head.magic = 0;
	if (!head_read(r, s, &now) || now.number < relay_thread(r, now.tid)->next)
		return;
	if (is_same(&before, &now) && !has_more(r, s) && !relay_head_is_closed(&now)) {
		s->head = now;
		return;
	}
	n = relay_read(r, s->offset + sizeof(now), r->bytes + sizeof(now), s->size - sizeof(now));
	s->extent = whole_records(r, &now, r->bytes + sizeof(now), (uint32_t)n);
	s->head = now;
}

void relay_slots_look(struct relay *r)
{
	struct format_chunk c;

	for (size_t i = 0; i < r->slots.n; i++)
		if (!head_read(r, &r->slots.at[i], &c) || c.tid != FORMAT_CONTROL_TID)
			slot_look(r, &r->slots.at[i]);
}

/* A closed chunk that could not be written to the end of the file: the slot has the only copy. */
static bool closed_put(struct relay *r, const struct relay_slot *s, struct relay_thread *t,
		       struct message *m)
{
	struct format_chunk c;

	if (!relay_head_is_closed(&s->head) || s->head.used > s->size - sizeof(c) ||
	    relay_read(r, s->offset, r->bytes, sizeof(c) + s->head.used) !=
		    sizeof(c) + s->head.used)
		return false;
	memcpy(&c, r->bytes, sizeof(c));
	if (memcmp(&c, &s->head, sizeof(c)) != 0 ||
	    format_sum(r->bytes + sizeof(c), c.used, c.number) != c.sum)
		return false;
	relay_chunk_put(r, t, m);
	return true;
}

/* What is new in a slot, if its chunk is next of its thread's.  final: all else has been sent. */
static bool slot_put(struct relay *r, const struct relay_slot *s, bool final, struct message *m)
{
	struct relay_thread *t = relay_thread(r, s->head.tid);
	uint8_t *bytes = r->bytes + sizeof(s->head);
	struct format_chunk now;
	uint32_t n;

	if (s->head.number < t->next)
		return false;
	if (s->head.number > t->next) {
		/* The ones between are in the file, and will be met there; unless this is all. */
		if (final)
			relay_dropped_put(r, t, s->head.tid, s->head.number, m);
		return final;
	}
	if (final && closed_put(r, s, t, m))
		return true;
	if (s->extent <= t->sent)
		return false;
	n = s->extent - t->sent;
	if (relay_read(r, s->offset + sizeof(now) + t->sent, bytes, n) != n ||
	    !head_read(r, s, &now) || !is_same(&now, &s->head))
		return false;
	*m = (struct message){ .type = MESSAGE_OPEN,
			       .open = { .tid = now.tid,
					 .number = now.number,
					 .first_tseq = now.first_tseq,
					 .start_ns = now.start_ns,
					 .more = { t->sent, n, bytes } } };
	t->sent += n;
	t->hash = hash_bytes(t->hash, bytes, n);
	r->sent += n;
	return true;
}

static bool control_next(struct relay *r, struct message *m)
{
	struct format_chunk c;

	for (size_t i = 0; i < r->slots.n; i++) {
		struct relay_slot *s = &r->slots.at[i];

		if (!head_read(r, s, &c) || c.tid != FORMAT_CONTROL_TID)
			continue;
		slot_look(r, s);
		if (s->head.magic && slot_put(r, s, false, m))
			return true;
	}
	return false;
}

bool relay_slots_next(struct relay *r, bool control, struct message *m)
{
	if (control)
		return control_next(r, m);
	for (; r->slot < r->slots.n; r->slot++) {
		struct relay_slot *s = &r->slots.at[r->slot];

		if (s->looked != r->looks)
			slot_look(r, s);
		if (s->head.magic && slot_put(r, s, r->last, m))
			return true; /* again, for DROPPED comes before what there is */
	}
	return false;
}
