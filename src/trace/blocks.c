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
 * A live writer reserves the place of a chunk, then writes it, and only then
 * begins the next chunk in the slot.  So a chunk that is not all there yet (zeros, or the
 * last block of the file) is still in its slot, and one that is not in its slot any more is
 * there, if need be behind what was the end of the file when the scan began.
 *
 * Bytes come by pread, not mmap: a file that shrinks under us is then a short
 * read and not a signal.
 */
#include "trace/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "trace/notes.h"

#define CACHE (64u << 10)
/* A live writer may be faster than we are; then something is missing, and said to be. */
#define SLOT_TRIES 4
#define GAP_TRIES 8
#define AREA_TRIES 8
#define HOLD_MAX (64u << 20)

static uint64_t align_up(uint64_t n)
{
	return (n + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
}

/* Bytes read, fewer than n only at the end of the file. */
static uint64_t read_at(const struct blocks *b, uint64_t offset, void *into, uint64_t n)
{
	uint64_t got = 0;

	if (offset >= b->size)
		return 0;
	if (n > b->size - offset)
		n = b->size - offset;
	while (got < n) {
		ssize_t r = pread(b->fd, (char *)into + got, n - got, (off_t)(offset + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		got += (uint64_t)r;
	}
	return got;
}

/* A head through the cache, which pays when the scan creeps. */
static bool head_read(struct blocks *b, uint64_t offset, bool creeping, void *into)
{
	if (offset < b->cache_at || offset + FORMAT_ALIGN > b->cache_at + b->cache_n) {
		b->cache_at = offset;
		b->cache_n = read_at(b, offset, b->cache, creeping ? CACHE : FORMAT_ALIGN);
		if (b->cache_n < FORMAT_ALIGN)
			return false;
	}
	memcpy(into, b->cache + (offset - b->cache_at), FORMAT_ALIGN);
	return true;
}

static struct blocks_thread *thread_get(struct blocks *b, uint32_t tid)
{
	bool fresh;
	uint64_t *place = map_put(&b->by_tid, tid, &fresh);

	if (fresh) {
		struct blocks_thread *t = VEC_PUSH(&b->threads);

		memset(t, 0, sizeof(*t));
		t->tid = tid;
		*place = b->threads.n;
	}
	return &b->threads.at[*place - 1];
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
	k->nlate = c->nlate;
	k->seen = k->room;
}

static struct blocks_chunk *chunk_add(struct blocks *b, uint32_t tid)
{
	return VEC_PUSH(&thread_get(b, tid)->chunks);
}

static bool chunk_is_sane(const struct format_chunk *c)
{
	return c->magic == FORMAT_CHUNK && c->tid < 1u << FORMAT_TID_BITS &&
	       (c->tid == FORMAT_CONTROL_TID ||
		(c->first_tseq >= 1 && c->first_tseq < (uint64_t)1 << FORMAT_TSEQ_BITS));
}

static bool slots_are_sane(const struct format_slots *s)
{
	return s->magic == FORMAT_SLOTS && s->size >= 4096 && s->size % 4096 == 0 &&
	       s->size <= BLOCKS_CHUNK_MAX && s->first >= FORMAT_ALIGN &&
	       s->length % FORMAT_ALIGN == 0 &&
	       s->length >= s->first + (uint64_t)s->count * s->size;
}

static void damage(struct blocks *b, const char *what, uint64_t offset)
{
	b->damaged = true;
	notes_add(b->notes, "%s at offset %llu", what, (unsigned long long)offset);
}

/* Bytes up to the last that is not zero. */
static uint32_t written(const uint8_t *p, uint32_t n)
{
	while (n > 0 && p[n - 1] == 0)
		n--;
	return n;
}

/*
 * The records of a slot, unless the slot goes on to another chunk meanwhile: the writer clears the
 * magic before the records, so a head that is still the same vouches for them.  They are read twice:
 * a record that the first reading has seen any of is whole in the second.
 */
static bool slot_hold(const struct blocks *b, const struct format_chunk *c, uint64_t at,
		      struct blocks_chunk *k)
{
	uint64_t from = at + sizeof(*c);
	uint8_t *p = mem_alloc(k->room ? k->room : 1);
	struct format_chunk now;
	uint32_t first;

	if (read_at(b, from, p, k->room) != k->room)
		goto bad;
	first = k->closed ? k->room : written(p, k->room);
	if (read_at(b, from, p, k->room) != k->room ||
	    read_at(b, at, &now, sizeof(now)) != sizeof(now))
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

		if (read_at(b, at, &c, sizeof(c)) != sizeof(c) || c.magic != FORMAT_CHUNK)
			return;
		if (!chunk_is_sane(&c)) {
			/* Perhaps it is just being begun: then the next look tells. */
			if (i + 1 == SLOT_TRIES)
				damage(b, "damaged slot", at);
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
			damage(b, "the file ends inside a slot extent", b->size);
			return;
		}
		if (room > b->size - at)
			room = b->size - at;
		slot_scan(b, at, room);
	}
}

/* An area is its head; what is inside follows like anything else.  Unless it is being emptied. */
static uint64_t area_begin(struct blocks *b, const struct format_area *a, uint64_t offset,
			   uint64_t end)
{
	uint64_t room = end - offset;
	uint64_t length = a->length % FORMAT_ALIGN == 0 && a->length < room ? a->length : room;

	*VEC_PUSH(&b->areas) = (struct blocks_area){ offset, a->generation };
	b->area_end = offset + length;
	if (b->areas_end < b->area_end)
		b->areas_end = b->area_end;
	return a->generation == 0 && length > sizeof(*a) ? length : sizeof(*a);
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
	if (slots_are_sane(&h.slots)) {
		slots_scan(b, &h.slots, offset);
		return h.slots.length <= end - offset ? h.slots.length : end - offset;
	}
	if (h.area.magic == FORMAT_AREA)
		return area_begin(b, &h.area, offset, end);
	if (!chunk_is_sane(&h.chunk) || !head_is_closed(&h.chunk, BLOCKS_CHUNK_MAX))
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

/* Blocks from `at' on, before `end'.  Places where something may come yet go to b->gaps. */
static void blocks_scan(struct blocks *b, uint64_t at, uint64_t end)
{
	uint64_t bad = at, good = at;
	enum scan why = SCAN_ZEROS; /* what the bytes since the last block are */

	b->cache_n = 0;
	while (at < end && end - at >= FORMAT_ALIGN) {
		enum scan what;
		uint64_t n = block_scan(b, at, end, at != good, &what);

		if (n == 0 && what < why) {
			why = what;
			bad = at;
			if (why == SCAN_DAMAGE)
				damage(b, "damaged or cut block", at);
		}
		if (n == 0) {
			/* Zeros go on to the end of an area. */
			at = what == SCAN_ZEROS && at < b->area_end ? b->area_end
								     : at + FORMAT_ALIGN;
			continue;
		}
		if (why == SCAN_DAMAGE)
			notes_add(b->notes, "%llu bytes skipped before offset %llu",
				  (unsigned long long)(at - bad), (unsigned long long)at);
		else
			gap_add(b, good, at);
		why = SCAN_ZEROS;
		at += n; /* n <= size + ALIGN: cannot wrap */
		good = at;
	}
	if (why != SCAN_DAMAGE)
		gap_add(b, good, end);
}

static bool size_take(struct blocks *b)
{
	struct stat st;

	if (fstat(b->fd, &st) != 0)
		return false;
	b->size = (uint64_t)st.st_size;
	return true;
}

/*
 * Looks again where nothing was yet, and behind what was the end: chunks that had left their slots
 * when those were read are there now.  New slots there ask for another look.
 */
static void gaps_scan(struct blocks *b)
{
	uint64_t slots = 0, size;

	for (unsigned i = 0; i < GAP_TRIES && b->nslots != slots; i++) {
		VEC(struct blocks_gap) gaps = { b->gaps.at, b->gaps.n, b->gaps.capacity };

		memset(&b->gaps, 0, sizeof(b->gaps));
		slots = b->nslots;
		size = b->size;
		if (!size_take(b) || b->size < size)
			b->size = size;
		if (gaps.n != 0 && gaps.at[gaps.n - 1].to == size)
			gaps.at[gaps.n - 1].to = b->size;
		else if (b->size > size)
			*VEC_PUSH(&gaps) = (struct blocks_gap){ align_up(size), b->size };
		b->area_end = 0;
		for (size_t k = 0; k < gaps.n; k++)
			blocks_scan(b, gaps.at[k].from, gaps.at[k].to);
		VEC_RELEASE(&gaps);
	}
	/* Zeros at the end of the last area are nothing that should be there. */
	b->cut = b->gaps.n != 0 && b->gaps.at[b->gaps.n - 1].to == b->size &&
		 b->areas_end < b->size;
}

/* Has the writer emptied an area since it was scanned? */
static bool areas_changed(const struct blocks *b)
{
	for (size_t i = 0; i < b->areas.n; i++) {
		struct format_area now;

		if (read_at(b, b->areas.at[i].offset, &now, sizeof(now)) != sizeof(now) ||
		    now.magic != FORMAT_AREA || now.generation != b->areas.at[i].generation)
			return true;
	}
	return false;
}

static void scan_clear(struct blocks *b)
{
	for (size_t i = 0; i < b->threads.n; i++) {
		for (size_t k = 0; k < b->threads.at[i].chunks.n; k++)
			mem_free(b->threads.at[i].chunks.at[k].held);
		VEC_RELEASE(&b->threads.at[i].chunks);
	}
	VEC_RELEASE(&b->threads);
	VEC_RELEASE(&b->gaps);
	VEC_RELEASE(&b->areas);
	map_release(&b->by_tid);
	map_init(&b->by_tid);
	b->nslots = b->area_end = 0;
}

/* A small ring may have gone round before it is read: all of it is taken at once. */
static void areas_hold(struct blocks *b)
{
	uint64_t total = 0;

	for (size_t i = 0; i < b->threads.n; i++)
		for (size_t k = 0; k < b->threads.at[i].chunks.n; k++)
			total += b->threads.at[i].chunks.at[k].room;
	if (b->areas.n == 0 || total > HOLD_MAX)
		return;
	for (size_t i = 0; i < b->threads.n; i++) {
		for (size_t k = 0; k < b->threads.at[i].chunks.n; k++) {
			struct blocks_chunk *c = &b->threads.at[i].chunks.at[k];
			uint64_t from = c->offset + sizeof(struct format_chunk);
			uint8_t *p = c->in_slot ? NULL : mem_alloc(c->room + 1);

			if (p && read_at(b, from, p, c->room) == c->room &&
			    format_sum(p, c->room, c->number) == c->sum) {
				c->held = p;
				c->nheld = c->room;
			} else {
				mem_free(p);
			}
		}
	}
}

static void file_scan(struct blocks *b)
{
	uint64_t at = b->head.header_size;

	at = align_up(at);
	b->cache = mem_alloc(CACHE);
	for (unsigned i = 0; i < AREA_TRIES; i++) {
		scan_clear(b);
		blocks_scan(b, at, b->size);
		gaps_scan(b);
		areas_hold(b);
		if (!areas_changed(b))
			break;
	}
	mem_free(b->cache);
	b->cache = NULL;
}

static int chunk_order(const void *x, const void *y)
{
	const struct blocks_chunk *a = x, *b = y;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->closed != b->closed)
		return a->closed ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int thread_order(const void *x, const void *y)
{
	const struct blocks_thread *a = x, *b = y;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Dropped are the oldest chunks: what is left of a thread with --keep is the run that ends it. */
static void thread_first(const struct blocks *b, struct blocks_thread *t)
{
	if (!(b->head.flags & FORMAT_KEEP) || t->tid == FORMAT_CONTROL_TID)
		return;
	for (size_t i = 0; i < t->chunks.n; i++)
		if (i == 0 || t->chunks.at[i].number > t->chunks.at[i - 1].number + 1)
			t->first = t->chunks.at[i].number;
}

static void thread_settle(struct blocks *b, struct blocks_thread *t)
{
	qsort(t->chunks.at, t->chunks.n, sizeof(*t->chunks.at), chunk_order);
	thread_first(b, t);
	t->count = t->first;
	for (size_t i = 0; i < t->chunks.n; i++) {
		struct blocks_chunk *k = &t->chunks.at[i];

		/* The one in the file will do: it was closed before, so it is there by now. */
		if (k->in_slot && k->closed && i > 0 && k->number == k[-1].number &&
		    k[-1].closed) {
			mem_free(k->held);
			k->held = NULL;
		}
		if (k->number == t->count) {
			t->count++;
		} else if (k->number > t->count) {
			t->gap = true;
			b->damaged = true;
			notes_add(b->notes,
				  "chunk %u of T%u is missing; nothing of T%u after it is used",
				  t->count, t->tid, t->tid);
			break;
		}
	}
}

static enum status file_head_check(struct blocks *b, const char *path, struct diag *d)
{
	size_t magic = sizeof(b->head.magic);
	uint64_t n = read_at(b, 0, &b->head, sizeof(b->head));

	if (memcmp(b->head.magic, FORMAT_MAGIC, n < magic ? n : magic) != 0) {
		diag_set(d, "'%s' is not a foresee recording", path);
		return ST_BAD_INPUT;
	}
	if (n >= 12 && b->head.version > FORMAT_VERSION) {
		diag_set(d,
			 "trace '%s' has version %u, this foresee reads up to %u; "
			 "use a newer foresee",
			 path, b->head.version, FORMAT_VERSION);
		return ST_BAD_INPUT;
	}
	if (n < sizeof(b->head)) {
		memset(&b->head, 0, sizeof(b->head));
		b->head.version = FORMAT_VERSION;
		damage(b, "the file ends inside its header", n);
		b->head.header_size = sizeof(b->head);
	} else if (b->head.header_size < sizeof(b->head)) {
		diag_set(d, "bad header size %u in '%s'", b->head.header_size, path);
		return ST_BAD_INPUT;
	}
	return ST_OK;
}

enum status blocks_open(struct blocks *b, const char *path, struct notes *notes, struct diag *d)
{
	enum status status;

	memset(b, 0, sizeof(*b));
	b->notes = notes;
	b->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0 || !size_take(b)) {
		diag_set(d, "cannot open '%s': %s", path, strerror(errno));
		blocks_close(b);
		return ST_IO;
	}
	status = file_head_check(b, path, d);
	if (status != ST_OK) {
		blocks_close(b);
		return status;
	}
	file_scan(b);
	if (b->threads.n > 1)
		qsort(b->threads.at, b->threads.n, sizeof(*b->threads.at), thread_order);
	for (size_t i = 0; i < b->threads.n; i++) {
		*map_put(&b->by_tid, b->threads.at[i].tid, NULL) = i + 1;
		thread_settle(b, &b->threads.at[i]);
	}
	return ST_OK;
}

void blocks_close(struct blocks *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
	scan_clear(b);
	map_release(&b->by_tid);
	mem_free(b->cache);
	b->cache = NULL;
}

struct blocks_thread *blocks_thread(struct blocks *b, uint32_t tid)
{
	uint64_t *place = map_get(&b->by_tid, tid);

	return place ? &b->threads.at[*place - 1] : NULL;
}

/* A chunk that is being written is in its slot still, or was not begun when the slot was read. */
static bool tail_may_come(struct blocks *b)
{
	const struct blocks_thread *t = blocks_thread(b, b->tail_tid);

	if (b->tail_at < b->gaps.at[b->gaps.n - 1].from)
		return true; /* zeros */
	for (size_t i = 0; t && i < t->chunks.n; i++)
		if (t->chunks.at[i].in_slot)
			return t->chunks.at[t->chunks.n - 1].number <= b->tail_number;
	return b->tail_number == 0;
}

void blocks_end(struct blocks *b, bool ended)
{
	if (b->cut && (ended || !tail_may_come(b)))
		damage(b, "cut block", b->gaps.at[b->gaps.n - 1].from);
}

/* Reads one copy; false when it is not what its head promised at the scan. */
static bool copy_load(struct blocks *b, uint32_t tid, const struct blocks_chunk *k, uint8_t **bytes,
		      uint32_t *n)
{
	uint64_t want = sizeof(struct format_chunk) + k->room;
	uint8_t *p = mem_alloc(want);
	struct format_chunk head;

	if (k->held) {
		memcpy(p, k->held, k->nheld);
		memset(p + k->nheld, 0, k->room - k->nheld);
	} else {
		if (read_at(b, k->offset, p, want) != want)
			goto bad;
		/* A live writer may have emptied the area meanwhile. */
		memcpy(&head, p, sizeof(head));
		if (head.magic != FORMAT_CHUNK || head.tid != tid || head.number != k->number)
			goto bad;
		memmove(p, p + sizeof(head), k->room);
	}
	if (k->closed && format_sum(p, k->room, k->number) != k->sum)
		goto bad;
	*bytes = p;
	*n = k->room;
	return true;
bad:
	mem_free(p);
	return false;
}

size_t blocks_find(const struct blocks_thread *t, uint32_t number)
{
	size_t low = 0, high = t->chunks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->chunks.at[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool blocks_load(struct blocks *b, const struct blocks_thread *t, uint32_t number,
		 struct blocks_chunk *which, uint8_t **bytes, uint32_t *n)
{
	size_t first = blocks_find(t, number), i;

	for (i = first; i < t->chunks.n && t->chunks.at[i].number == number; i++) {
		if (copy_load(b, t->tid, &t->chunks.at[i], bytes, n)) {
			*which = t->chunks.at[i];
			return true;
		}
	}
	b->damaged = true;
	if (b->head.flags & FORMAT_KEEP)
		notes_add(b->notes,
			  "chunk %u of T%u at offset %llu is damaged, or was dropped while it was "
			  "being read: nothing of T%u after it is used",
			  number, t->tid, (unsigned long long)t->chunks.at[first].offset, t->tid);
	else
		notes_add(b->notes,
			  "damaged chunk %u of T%u at offset %llu: nothing of T%u after it is used",
			  number, t->tid, (unsigned long long)t->chunks.at[first].offset, t->tid);
	return false;
}
