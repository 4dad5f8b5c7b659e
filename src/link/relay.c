/*
 * The simplest relay would send the file.  But slots change in place, so this one sends chunks.
 *
 *	file   | head | FCHK | FCHK | FSLT [slot][slot] | FCHK | FARE FCHK FCHK ... | FCHK ->  r->at
 *
 * Finished chunks lie one after the other, and are sent when r->at comes to them.  A stretch that was
 * reserved by a thread and is not written yet is a hole: nothing behind it is sent before it is
 * filled, or the order of chunks of a thread could break.  After the end of the run nobody fills
 * holes, and they are skipped in steps of FORMAT_ALIGN as the reader does.
 *
 * An area is a small file of that kind that starts anew when its generation changes.  In it heads are
 * written in order, so that its end can be told from a hole.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "link/relay_priv.h"
#include "recording/blocks.h"

uint64_t relay_read(const struct relay *r, uint64_t offset, void *into, uint64_t n)
{
	return io_read_at(r->fd, offset, into, n);
}

struct relay_thread *relay_thread(struct relay *r, uint32_t tid)
{
	bool fresh;
	uint64_t *index = map_put(&r->by_tid, tid, &fresh);

	if (fresh) {
		*VEC_PUSH(&r->threads) = (struct relay_thread){ 0 };
		*index = r->threads.n;
	}
	return &r->threads.at[*index - 1];
}

bool relay_head_is_closed(const struct format_chunk *c)
{
	return c->magic == FORMAT_CHUNK && (c->flags & FORMAT_CHUNK_CLOSED) &&
	       c->head_sum == format_head_sum(c) && c->tid < 1u << FORMAT_TID_BITS;
}

void relay_chunk_put(struct relay *r, struct relay_thread *t, struct message *m)
{
	const uint8_t *records = r->bytes + sizeof(struct format_chunk);
	struct message_records *rest = &m->chunk.rest;

	*m = (struct message){ .type = MESSAGE_CHUNK };
	memcpy(&m->chunk.head, r->bytes, sizeof(m->chunk.head));
	if (t->sent <= m->chunk.head.used && hash_bytes(0, records, t->sent) == t->hash)
		rest->from = t->sent;
	rest->n = m->chunk.head.used - rest->from;
	rest->bytes = records + rest->from;
	r->sent += rest->n;
	*t = (struct relay_thread){ .next = t->next + 1 };
}

void relay_dropped_put(struct relay *r, struct relay_thread *t, uint32_t tid, uint32_t number,
		       struct message *m)
{
	*m = (struct message){ .type = MESSAGE_DROPPED,
			       .dropped = { .tid = tid, .from = t->next, .to = number } };
	r->dropped += number - t->next;
	*t = (struct relay_thread){ .next = number };
}

/* ---- blocks ---- */

union block {
	struct format_chunk chunk;
	struct format_slots slots;
	struct format_area area;
};

enum found { FOUND_NOTHING, FOUND_BLOCK, FOUND_MESSAGE };

static bool area_is_sane(const struct format_area *a)
{
	return a->magic == FORMAT_AREA && a->length >= sizeof(*a) &&
	       a->length % FORMAT_ALIGN == 0 && a->length <= (uint64_t)1 << 40;
}

static bool area_is_as_was(const struct relay *r, const struct relay_area *a)
{
	struct format_area head;

	return relay_read(r, a->offset, &head, sizeof(head)) == sizeof(head) &&
	       area_is_sane(&head) && head.generation == a->generation;
}

/*
 * A closed chunk at offset: FOUND_MESSAGE when there is one about it, which is then not the end of
 * it if the message is DROPPED.  area: where it lies, or NULL.  *length is what to go on by, 0 to stay.
 */
static enum found chunk_take(struct relay *r, const struct format_chunk *c, uint64_t offset,
			     const struct relay_area *area, struct message *m, uint64_t *length)
{
	struct relay_thread *t = relay_thread(r, c->tid);
	uint64_t whole = sizeof(*c) + (uint64_t)c->used;
	struct format_chunk now;

	*length = (whole + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
	if (c->number < t->next)
		return FOUND_BLOCK;
	if (c->used > MESSAGE_BYTES) /* not of a recorder of ours; its thread has a gap there */
		return FOUND_BLOCK;
	if (relay_read(r, offset, r->bytes, whole) != whole)
		return FOUND_NOTHING;
	memcpy(&now, r->bytes, sizeof(now));
	if (memcmp(&now, c, sizeof(now)) != 0 ||
	    format_sum(r->bytes + sizeof(now), c->used, c->number) != c->sum)
		return FOUND_NOTHING;
	if (area && !area_is_as_was(r, area)) /* it may be a chunk of later */
		return FOUND_NOTHING;
	if (c->number > t->next) {
		*length = 0;
		relay_dropped_put(r, t, c->tid, c->number, m);
	} else {
		relay_chunk_put(r, t, m);
	}
	return FOUND_MESSAGE;
}

static void area_add(struct relay *r, const struct format_area *a, uint64_t offset)
{
	/* Areas are begun in the order of their offsets, the first time. */
	r->overrun |= a->generation != r->areas.n + 1;
	*VEC_PUSH(&r->areas) = (struct relay_area){ .offset = offset,
						    .length = a->length,
						    .at = sizeof(*a),
						    .generation = a->generation,
						    .turn = a->generation };
}

static enum found block_take(struct relay *r, struct message *m, uint64_t *length)
{
	union block b;

	if (relay_read(r, r->at, &b, sizeof(b)) != sizeof(b))
		return FOUND_NOTHING;
	if (blocks_slots_are_sane(&b.slots) && b.slots.length <= (uint64_t)1 << 40) {
		relay_slots_add(r, &b.slots, r->at);
		*length = b.slots.length;
		return FOUND_BLOCK;
	}
	if (area_is_sane(&b.area)) {
		area_add(r, &b.area, r->at);
		*length = b.area.length;
		return FOUND_BLOCK;
	}
	if (relay_head_is_closed(&b.chunk))
		return chunk_take(r, &b.chunk, r->at, NULL, m, length);
	return FOUND_NOTHING;
}

static bool blocks_next(struct relay *r, struct message *m)
{
	while (r->at < r->size && r->size - r->at >= FORMAT_ALIGN) {
		uint64_t length = FORMAT_ALIGN;
		enum found found = block_take(r, m, &length);

		if (found == FOUND_NOTHING && !r->last)
			return false;
		r->at += found == FOUND_NOTHING ? FORMAT_ALIGN : length;
		if (found == FOUND_MESSAGE)
			return true;
	}
	return false;
}

/* ---- areas ---- */

/* An area that was emptied starts anew; whatever it had is past. */
static void areas_look(struct relay *r)
{
	for (size_t i = 0; i < r->areas.n; i++) {
		struct relay_area *a = &r->areas.at[i];
		struct format_area head;

		if (relay_read(r, a->offset, &head, sizeof(head)) != sizeof(head) ||
		    !area_is_sane(&head) || head.generation == a->generation)
			continue;
		/* They take turns: another number means that one turn went by unseen. */
		r->overrun |=
			!a->drained || (head.generation && head.generation != a->turn + r->areas.n);
		a->generation = head.generation;
		a->turn = head.generation ? head.generation : a->turn;
		a->at = sizeof(head);
		a->drained = head.generation == 0;
	}
}

/* The area that was begun first after generation g. */
static struct relay_area *area_after(struct relay *r, uint32_t g)
{
	struct relay_area *best = NULL;

	for (size_t i = 0; i < r->areas.n; i++) {
		struct relay_area *a = &r->areas.at[i];

		if (a->generation > g && (!best || a->generation < best->generation))
			best = a;
	}
	return best;
}

/*
 * The next chunk of an area.  *stay: one is being written there, and nothing behind it, nor in later
 * areas, may be sent before it.  Heads are written in order, so one of zeros is the end.
 */
static bool area_next(struct relay *r, struct relay_area *a, struct message *m, bool *stay)
{
	*stay = false;
	while (a->at + FORMAT_ALIGN <= a->length) {
		struct format_chunk c = { 0 };
		uint64_t length = FORMAT_ALIGN;
		enum found found = FOUND_NOTHING;

		if (relay_read(r, a->offset + a->at, &c, sizeof(c)) != sizeof(c) || c.magic == 0)
			break;
		if (relay_head_is_closed(&c))
			found = chunk_take(r, &c, a->offset + a->at, a, m, &length);
		*stay = found == FOUND_NOTHING && !r->last;
		if (*stay)
			return false;
		a->at += length;
		if (found == FOUND_MESSAGE)
			return true;
	}
	a->drained = area_after(r, a->generation) != NULL;
	return false;
}

static bool areas_next(struct relay *r, struct message *m)
{
	struct relay_area *a;
	bool stay;

	if (r->overrun) {
		r->overrun = false;
		*m = (struct message){ .type = MESSAGE_DROPPED };
		return true;
	}
	while ((a = area_after(r, r->generation)) != NULL) {
		if (area_next(r, a, m, &stay))
			return true;
		if (stay)
			return false;
		r->generation = a->generation;
	}
	return false;
}

/* ---- the whole ---- */

void relay_look(struct relay *r, bool last)
{
	struct stat st;

	r->looks++;
	r->last = last;
	r->phase = RELAY_CONTROL;
	r->slot = 0;
	r->generation = 0;
	/* Slots before the size: whatever a thread finished before the chunk in its slot lies in it. */
	relay_slots_look(r);
	if (fstat(r->fd, &st) == 0)
		r->size = (uint64_t)st.st_size;
	areas_look(r);
}

bool relay_next(struct relay *r, struct message *m)
{
	for (; r->phase != RELAY_DONE; r->phase++) {
		bool found = r->phase == RELAY_CONTROL	? relay_slots_next(r, true, m)
			     : r->phase == RELAY_BLOCKS ? blocks_next(r, m)
			     : r->phase == RELAY_AREAS	? areas_next(r, m)
							: relay_slots_next(r, false, m);

		if (found)
			return true;
	}
	return false;
}

uint64_t relay_sent(const struct relay *r)
{
	return r->sent;
}

uint64_t relay_behind(const struct relay *r)
{
	struct stat st;

	return fstat(r->fd, &st) == 0 && (uint64_t)st.st_size > r->at ? (uint64_t)st.st_size - r->at
								      : 0;
}

uint32_t relay_fault(const struct relay *r, uint32_t signal)
{
	struct format_file now;

	if (signal == 0 || relay_read(r, 0, &now, sizeof(now)) != sizeof(now) ||
	    now.fault_signal != signal || now.fault_tid >> FORMAT_TID_BITS != 0)
		return 0;
	return now.fault_tid;
}

uint64_t relay_dropped(const struct relay *r)
{
	return r->dropped;
}

void relay_describe(const struct relay *r, struct message_hello *hello)
{
	hello->format = r->file.version;
	hello->flags = r->file.flags;
	hello->pid = r->file.pid;
	hello->start_ns = r->file.start_ns;
}

void relay_rewind(struct relay *r)
{
	VEC_CLEAR(&r->threads);
	map_clear(&r->by_tid);
	VEC_CLEAR(&r->slots);
	VEC_CLEAR(&r->areas);
	r->at = (r->file.header_size + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
	r->sent = r->dropped = 0;
	r->overrun = false;
	r->phase = RELAY_DONE;
}

enum status relay_open(const char *path, struct relay **out, struct diag *d)
{
	struct relay *r = mem_zalloc(sizeof(*r));
	enum status st = ST_OK;
	uint64_t n = 0;

	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd >= 0)
		n = relay_read(r, 0, &r->file, sizeof(r->file));
	if (r->fd < 0 && errno != ENOENT) {
		diag_set(d, "cannot open '%s': %s", path, strerror(errno));
		st = ST_IO;
	} else if (n < sizeof(r->file)) {
		st = ST_END;
	} else if (memcmp(r->file.magic, FORMAT_MAGIC, sizeof(r->file.magic)) != 0 ||
		   r->file.version > FORMAT_VERSION || r->file.header_size < sizeof(r->file)) {
		diag_set(d, "'%s' is not a recording of this version", path);
		st = ST_BAD_INPUT;
	}
	if (st != ST_OK) {
		relay_close(r);
		return st;
	}
	r->bytes = mem_alloc(sizeof(struct format_chunk) + MESSAGE_BYTES);
	relay_rewind(r);
	*out = r;
	return ST_OK;
}

void relay_close(struct relay *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	VEC_RELEASE(&r->threads);
	map_release(&r->by_tid);
	VEC_RELEASE_ALL(&r->slots, &r->areas);
	mem_free(r->bytes);
	mem_free(r);
}
