/*
 * Scanning a recording's blocks.
 *
 *	| file head | FCHK .... | FCHK .. | FSLT [slot][slot][slot] | FCHK ...
 *	                                  | FARE FCHK FCHK ... zeros  |
 *
 * The scan hops from head to head.  After damage it creeps in steps of
 * FORMAT_ALIGN until a head agrees with its sum again; 32 bits of sum over a
 * head with a magic make a false one in the middle of records no concern.
 *
 * A live writer reserves the room of a chunk, then writes it, and only then
 * begins the next chunk in the slot.  So a chunk that is not complete (zeros, or the
 * last block of the file) is still in its slot; and a chunk that has left its slot is
 * complete, possibly behind what was the end of the file when the scan began.
 *
 * Bytes come by pread, not mmap: a file that shrinks under us is then a short
 * read and not a signal.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "recording/blocks_priv.h"

#define CACHE (64u << 10)
/* How often to look again.  If a live writer is faster still, a note says that something is missing. */
#define SLOT_TRIES 4
#define GAP_TRIES 8
#define HOLD_MAX (64u << 20)

static uint64_t align_up(uint64_t n)
{
	return (n + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
}

uint64_t blocks_read_at(const struct blocks *b, uint64_t offset, void *into, uint64_t n)
{
	uint64_t left = offset < b->size ? b->size - offset : 0;

	return io_read_at(b->fd, offset, into, n < left ? n : left);
}

/* A head through the cache, which pays when the scan creeps. */
static bool head_read(struct blocks *b, uint64_t offset, bool creeping, void *into)
{
	if (offset < b->cache_at || offset + FORMAT_ALIGN > b->cache_at + b->cache_n) {
		b->cache_at = offset;
		b->cache_n = blocks_read_at(b, offset, b->cache, creeping ? CACHE : FORMAT_ALIGN);
		if (b->cache_n < FORMAT_ALIGN)
			return false;
	}
	memcpy(into, b->cache + (offset - b->cache_at), FORMAT_ALIGN);
	return true;
}

static struct blocks_thread *thread_get(struct blocks *b, uint32_t tid)
{
	bool fresh;
	uint64_t *index = map_put(&b->by_tid, tid, &fresh);

	if (fresh) {
		struct blocks_thread *t = VEC_PUSH(&b->threads);

		memset(t, 0, sizeof(*t));
		t->tid = tid;
		*index = b->threads.n;
	}
	return &b->threads.at[*index - 1];
}

static bool head_is_closed(const struct format_chunk *c, uint64_t room)
{
	return (c->flags & FORMAT_CHUNK_CLOSED) && c->head_sum == format_head_sum(c) &&
	       c->used <= room;
}

static void chunk_fill(struct blocks_chunk *k, const struct format_chunk *c, uint64_t offset,
		       uint64_t room)
{
	memset(k, 0, sizeof(*k));
	k->offset = offset;
	k->closed = head_is_closed(c, room);
	k->last = k->closed && (c->flags & FORMAT_CHUNK_LAST);
	k->room = k->closed ? c->used : (uint32_t)room;
	k->first_tseq = c->first_tseq;
	k->nevents = c->nevents;
	k->nitems = c->nitems;
	k->start_ns = c->start_ns;
	k->sum = c->sum;
	k->number = c->number;
	k->ntrailing = c->ntrailing;
	k->seen = k->room;
}

static struct blocks_chunk *chunk_add(struct blocks *b, uint32_t tid)
{
	return VEC_PUSH(&thread_get(b, tid)->chunks);
}

void blocks_damage(struct blocks *b, const char *what, uint64_t offset)
{
	b->damaged = true;
	texts_note(b->notes, "%s at offset %llu", what, (unsigned long long)offset);
}

/* Bytes up to the last that is not zero. */
static uint32_t written(const uint8_t *p, uint32_t n)
{
	while (n > 0 && p[n - 1] == 0)
		n--;
	return n;
}

/*
 * The records of a slot, unless the writer begins another chunk in it meanwhile.  The writer clears
 * the magic before the records, so if the head is the same afterwards, the records belong to
 * it.  They are read twice: a record of which the first reading saw a part is complete in the
 * second.
 */
static bool slot_hold(const struct blocks *b, const struct format_chunk *c, uint64_t at,
		      struct blocks_chunk *k)
{
	uint64_t from = at + sizeof(*c);
	uint8_t *p = mem_alloc(k->room ? k->room : 1);
	struct format_chunk now;
	uint32_t first;

	if (blocks_read_at(b, from, p, k->room) != k->room)
		goto bad;
	first = k->closed ? k->room : written(p, k->room);
	if (blocks_read_at(b, from, p, k->room) != k->room ||
	    blocks_read_at(b, at, &now, sizeof(now)) != sizeof(now))
		goto bad;
	if (now.magic != c->magic || now.tid != c->tid || now.number != c->number ||
	    now.start_ns != c->start_ns)
		goto bad;
	k->in_slot = true;
	k->seen = first;
	k->nheld = written(p, k->room);
	k->held = mem_resize(p, k->nheld + 1);
	return true;
bad:
	mem_free(p);
	return false;
}

static void slot_scan(struct blocks *b, uint64_t at, uint64_t room)
{
	struct format_chunk c;

	for (unsigned i = 0; i < SLOT_TRIES; i++) {
		struct blocks_chunk k;

		if (blocks_read_at(b, at, &c, sizeof(c)) != sizeof(c) || c.magic != FORMAT_CHUNK)
			return;
		if (!blocks_head_is_sane(&c)) {
			/* Perhaps a chunk is just being begun there; the next look will tell. */
			if (i + 1 == SLOT_TRIES)
				blocks_damage(b, "damaged slot", at);
			continue;
		}
		chunk_fill(&k, &c, at, room - sizeof(c));
		if (slot_hold(b, &c, at, &k)) {
			*chunk_add(b, c.tid) = k;
			return;
		}
	}
}

static void slots_scan(struct blocks *b, const struct format_slots *s, uint64_t offset)
{
	uint64_t at = offset + s->first;

	b->nslots++;
	for (uint32_t i = 0; i < s->count; i++, at += s->size) {
		uint64_t room = s->size;

		if (at + sizeof(struct format_chunk) > b->size) {
			blocks_damage(b, "the file ends inside a slot extent", b->size);
			return;
		}
		if (room > b->size - at)
			room = b->size - at;
		slot_scan(b, at, room);
	}
}

/* Areas are scanned later (areas_scan). */
static uint64_t area_add(struct blocks *b, const struct format_area *a, uint64_t offset,
			 uint64_t end)
{
	uint64_t room = end - offset;
	uint64_t length = a->length % FORMAT_ALIGN == 0 && a->length < room ? a->length : room;

	if (length < sizeof(*a))
		length = sizeof(*a);
	*VEC_PUSH(&b->areas) = (struct blocks_area){ offset, length, a->generation };
	/* It may reach past the end of the file, which grows into it. */
	if (a->length <= UINT64_MAX / 2 && b->areas_end < offset + a->length)
		b->areas_end = offset + a->length;
	return length;
}

/* The generation now; 0: there is no area, or it is being emptied. */
static uint32_t area_generation(const struct blocks *b, const struct blocks_area *a)
{
	struct format_area now;

	if (blocks_read_at(b, a->offset, &now, sizeof(now)) != sizeof(now) ||
	    now.magic != FORMAT_AREA)
		return 0;
	return now.generation;
}

/* What a block turned out to be, when it has no length. */
enum scan { SCAN_DAMAGE, SCAN_SHORT, SCAN_ZEROS };

/* The length of the block at offset, before `end'; 0: *what says why not. */
static uint64_t block_scan(struct blocks *b, uint64_t offset, uint64_t end, bool creeping,
			   enum scan *what)
{
	union {
		struct format_chunk chunk;
		struct format_slots slots;
		struct format_area area;
		uint8_t byte[FORMAT_ALIGN];
	} h;

	*what = SCAN_DAMAGE;
	if (!head_read(b, offset, creeping, &h))
		return 0;
	if (written(h.byte, sizeof(h)) == 0)
		*what = SCAN_ZEROS;
	if (blocks_slots_are_sane(&h.slots) && !b->inside) {
		slots_scan(b, &h.slots, offset);
		return h.slots.length <= end - offset ? h.slots.length : end - offset;
	}
	if (h.area.magic == FORMAT_AREA && !b->inside)
		return area_add(b, &h.area, offset, end);
	if (!blocks_head_is_sane(&h.chunk) || !head_is_closed(&h.chunk, BLOCKS_CHUNK_MAX))
		return 0;
	if (h.chunk.used > end - offset - sizeof(h.chunk)) {
		*what = SCAN_SHORT; /* its last copy may still lie in a slot */
		b->tail_at = offset;
		b->tail_tid = h.chunk.tid;
		b->tail_number = h.chunk.number;
		return 0;
	}
	chunk_fill(chunk_add(b, h.chunk.tid), &h.chunk, offset, BLOCKS_CHUNK_MAX);
	return sizeof(h.chunk) + align_up(h.chunk.used);
}

static void gap_add(struct blocks *b, uint64_t from, uint64_t to)
{
	if (from < to)
		*VEC_PUSH(&b->gaps) = (struct blocks_gap){ from, to };
}

/* Blocks from `at' on, before `end'.  Gaps where something may come yet go to b->gaps. */
static void range_scan(struct blocks *b, uint64_t at, uint64_t end)
{
	uint64_t bad = at, good = at;
	enum scan why = SCAN_ZEROS; /* what the bytes since the last block are */
	unsigned tries = 0;

	b->cache_n = 0;
	while (at < end && end - at >= FORMAT_ALIGN) {
		enum scan what;
		uint64_t n = block_scan(b, at, end, at != good, &what);

		/* Something behind zeros: the writer may just have filled them, so go back. */
		if (n == 0 && what == SCAN_DAMAGE && why != SCAN_DAMAGE && at != good &&
		    tries++ < GAP_TRIES) {
			at = good;
			b->cache_n = 0;
			why = SCAN_ZEROS;
			continue;
		}
		/* The writer empties the area while we scan it. */
		if (n == 0 && what == SCAN_DAMAGE && b->inside &&
		    area_generation(b, &b->areas.at[b->area]) != b->areas.at[b->area].generation)
			return;
		if (n == 0 && what < why) {
			why = what;
			bad = at;
			if (why == SCAN_DAMAGE)
				blocks_damage(b, "damaged or cut block", at);
		}
		if (n == 0) {
			/* Records go on to the end, and in an area so do zeros. */
			at = what == SCAN_SHORT || (what == SCAN_ZEROS && b->inside)
				     ? end
				     : at + FORMAT_ALIGN;
			continue;
		}
		if (why == SCAN_DAMAGE)
			texts_note(b->notes, "%llu bytes skipped before offset %llu",
				   (unsigned long long)(at - bad), (unsigned long long)at);
		else if (!b->inside)
			gap_add(b, good, at);
		why = SCAN_ZEROS;
		at += n; /* n <= size + ALIGN: cannot wrap */
		good = at;
		tries = 0;
	}
	if (why != SCAN_DAMAGE && !b->inside)
		gap_add(b, good, end);
}

bool blocks_size_take(struct blocks *b)
{
	struct stat st;

	if (fstat(b->fd, &st) != 0)
		return false;
	b->size = (uint64_t)st.st_size;
	return true;
}

/*
 * Looks again at gaps and behind the former end of the file: chunks that had left their slots before
 * the slots were read are there now.  If there are new slots too, another look is needed.
 */
static void gaps_scan(struct blocks *b)
{
	uint64_t slots = 0, size;

	for (unsigned i = 0; i < GAP_TRIES && b->nslots != slots; i++) {
		VEC(struct blocks_gap) gaps = { b->gaps.at, b->gaps.n, b->gaps.capacity };

		memset(&b->gaps, 0, sizeof(b->gaps));
		slots = b->nslots;
		size = b->size;
		if (!blocks_size_take(b) || b->size < size)
			b->size = size;
		if (gaps.n != 0 && gaps.at[gaps.n - 1].to == size)
			gaps.at[gaps.n - 1].to = b->size;
		else if (b->size > size)
			*VEC_PUSH(&gaps) =
				(struct blocks_gap){ b->areas_end > size ? align_up(b->areas_end)
									 : align_up(size),
						     b->size };
		for (size_t k = 0; k < gaps.n; k++)
			range_scan(b, gaps.at[k].from, gaps.at[k].to);
		VEC_RELEASE(&gaps);
	}
	/* Zeros at the end of the last area are nothing that should be there. */
	b->cut =
		b->gaps.n != 0 && b->gaps.at[b->gaps.n - 1].to == b->size && b->areas_end < b->size;
}

void blocks_scan_clear(struct blocks *b)
{
	for (size_t i = 0; i < b->threads.n; i++) {
		for (size_t k = 0; k < b->threads.at[i].chunks.n; k++)
			mem_free(b->threads.at[i].chunks.at[k].held);
		VEC_RELEASE(&b->threads.at[i].chunks);
	}
	VEC_RELEASE_ALL(&b->threads, &b->gaps, &b->areas);
	map_release(&b->by_tid);
	b->nslots = 0;
}

/* ---- areas ---- */

static bool is_in_area(const struct blocks *b, uint64_t offset)
{
	for (size_t i = 0; i < b->areas.n; i++)
		if (offset >= b->areas.at[i].offset &&
		    offset - b->areas.at[i].offset < b->areas.at[i].length)
			return true;
	return false;
}

static uint64_t areas_bytes(const struct blocks *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->threads.n; i++)
		for (size_t k = 0; k < b->threads.at[i].chunks.n; k++)
			n += b->threads.at[i].chunks.at[k].room;
	return n;
}

/* False: it is not there any more, or not yet. */
static bool chunk_hold(const struct blocks *b, struct blocks_chunk *c)
{
	uint8_t *p = mem_alloc(c->room + 1);

	if (blocks_read_at(b, c->offset + sizeof(struct format_chunk), p, c->room) != c->room ||
	    format_sum(p, c->room, c->number) != c->sum) {
		mem_free(p);
		return false;
	}
	c->held = p;
	c->nheld = c->room;
	return true;
}

static void areas_hold(struct blocks *b)
{
	for (size_t i = 0; i < b->threads.n; i++) {
		struct blocks_thread *t = &b->threads.at[i];
		size_t kept = 0;

		for (size_t k = 0; k < t->chunks.n; k++) {
			struct blocks_chunk c = t->chunks.at[k];

			if (c.in_slot || !is_in_area(b, c.offset) || chunk_hold(b, &c))
				t->chunks.at[kept++] = c;
		}
		t->chunks.n = kept;
	}
}

/*
 * A live writer empties and fills areas while they are scanned, so of the chunks that a thread
 * closes meanwhile one may be found and the one before it missed.  Hence areas are scanned after the
 * slots, and only those that had been begun by then: a chunk that had left its slot is in one of
 * them, or was dropped as the oldest.  The writer may come round a small ring before its records are
 * merged, so they are kept in memory.
 */
static void areas_scan(struct blocks *b)
{
	uint32_t newest = 0;

	b->inside = true;
	for (size_t i = 0; i < b->areas.n; i++) {
		uint32_t generation = area_generation(b, &b->areas.at[i]);

		if (generation > newest)
			newest = generation;
	}
	for (size_t i = 0; i < b->areas.n; i++) {
		struct blocks_area *a = &b->areas.at[i];

		a->generation = area_generation(b, a);
		b->area = i;
		if (a->generation != 0 && a->generation <= newest)
			range_scan(b, a->offset + sizeof(struct format_area),
				   a->offset + a->length);
	}
	if (areas_bytes(b) <= HOLD_MAX)
		areas_hold(b);
}

void blocks_scan_file(struct blocks *b)
{
	b->cache = mem_alloc(CACHE);
	range_scan(b, align_up(b->head.header_size), b->size);
	gaps_scan(b);
	if (b->areas.n != 0)
		areas_scan(b);
	mem_free(b->cache);
	b->cache = NULL;
}
