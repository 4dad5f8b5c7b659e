/*
 * Scanning a recording's blocks.
 *
 *	| file head | FCHK .... | FCHK .. | FSLT [slot][slot][slot] | FCHK ...
 *
 * The scan hops from head to head.  After damage it creeps in steps of
 * FORMAT_ALIGN until a head agrees with its sum again; 32 bits of sum over a
 * head with a magic make a false one in the middle of records no concern.
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

static void chunk_add(struct blocks *b, const struct format_chunk *c, uint64_t offset,
		      uint64_t room)
{
	struct blocks_thread *t = thread_get(b, c->tid);
	struct blocks_chunk *k = VEC_PUSH(&t->chunks);

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

static void slots_scan(struct blocks *b, const struct format_slots *s, uint64_t offset)
{
	uint64_t at = offset + s->first;
	struct format_chunk c;

	for (uint32_t i = 0; i < s->count; i++, at += s->size) {
		uint64_t room = s->size;

		if (at + sizeof(c) > b->size) {
			damage(b, "the file ends inside a slot extent", b->size);
			return;
		}
		if (room > b->size - at)
			room = b->size - at;
		if (!head_read(b, at, false, &c))
			return;
		if (chunk_is_sane(&c))
			chunk_add(b, &c, at, room - sizeof(c));
		else if (c.magic == FORMAT_CHUNK)
			damage(b, "damaged slot", at);
	}
}

/* The length of the block at offset, or 0 for damage. */
static uint64_t block_scan(struct blocks *b, uint64_t offset, bool creeping)
{
	union {
		struct format_chunk chunk;
		struct format_slots slots;
	} h;

	if (!head_read(b, offset, creeping, &h))
		return 0;
	if (slots_are_sane(&h.slots)) {
		slots_scan(b, &h.slots, offset);
		return h.slots.length <= b->size ? h.slots.length : b->size - offset;
	}
	if (!chunk_is_sane(&h.chunk) || !head_is_closed(&h.chunk, BLOCKS_CHUNK_MAX))
		return 0;
	if (h.chunk.used > b->size - offset - sizeof(h.chunk))
		return 0; /* cut: its last copy may still lie in a slot */
	chunk_add(b, &h.chunk, offset, BLOCKS_CHUNK_MAX);
	return sizeof(h.chunk) +
	       (((uint64_t)h.chunk.used + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1));
}

static void blocks_scan(struct blocks *b)
{
	uint64_t at = b->head.header_size, bad = 0;
	bool creeping = false;

	at = (at + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
	while (at < b->size && b->size - at >= FORMAT_ALIGN) {
		uint64_t n = block_scan(b, at, creeping);

		if (n != 0 && creeping)
			notes_add(b->notes, "%llu bytes skipped before offset %llu",
				  (unsigned long long)(at - bad), (unsigned long long)at);
		if (n == 0 && !creeping) {
			damage(b, "damaged or cut block", at);
			bad = at;
		}
		creeping = n == 0;
		at += n ? n : FORMAT_ALIGN; /* n <= size + ALIGN: cannot wrap */
	}
	if (at < b->size && !creeping)
		damage(b, "cut block", at);
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

static void thread_settle(struct blocks *b, struct blocks_thread *t)
{
	qsort(t->chunks.at, t->chunks.n, sizeof(*t->chunks.at), chunk_order);
	for (size_t i = 0; i < t->chunks.n; i++) {
		if (t->chunks.at[i].number == t->count) {
			t->count++;
		} else if (t->chunks.at[i].number > t->count) {
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
	struct stat st;

	memset(b, 0, sizeof(*b));
	b->notes = notes;
	b->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0 || fstat(b->fd, &st) != 0) {
		diag_set(d, "cannot open '%s': %s", path, strerror(errno));
		blocks_close(b);
		return ST_IO;
	}
	b->size = (uint64_t)st.st_size;
	status = file_head_check(b, path, d);
	if (status != ST_OK) {
		blocks_close(b);
		return status;
	}
	b->cache = mem_alloc(CACHE);
	blocks_scan(b);
	mem_free(b->cache);
	b->cache = NULL;
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
	for (size_t i = 0; i < b->threads.n; i++)
		VEC_RELEASE(&b->threads.at[i].chunks);
	VEC_RELEASE(&b->threads);
	map_release(&b->by_tid);
	mem_free(b->cache);
	b->cache = NULL;
}

struct blocks_thread *blocks_thread(struct blocks *b, uint32_t tid)
{
	uint64_t *place = map_get(&b->by_tid, tid);

	return place ? &b->threads.at[*place - 1] : NULL;
}

/* Reads one copy; false when it is not what its head promised at the scan. */
static bool copy_load(struct blocks *b, uint32_t tid, const struct blocks_chunk *k, uint8_t **bytes,
		      uint32_t *n)
{
	uint64_t want = sizeof(struct format_chunk) + k->room;
	uint8_t *p = mem_alloc(want);
	struct format_chunk head;

	if (read_at(b, k->offset, p, want) != want)
		goto bad;
	/* A live writer may have given the slot to another chunk meanwhile. */
	memcpy(&head, p, sizeof(head));
	if (head.magic != FORMAT_CHUNK || head.tid != tid || head.number != k->number)
		goto bad;
	memmove(p, p + sizeof(head), k->room);
	if (k->closed && format_sum(p, k->room, k->number) != k->sum)
		goto bad;
	*bytes = p;
	*n = k->room;
	return true;
bad:
	mem_free(p);
	return false;
}

bool blocks_load(struct blocks *b, const struct blocks_thread *t, uint32_t number,
		 struct blocks_chunk *which, uint8_t **bytes, uint32_t *n)
{
	size_t low = 0, high = t->chunks.n, first;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->chunks.at[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	for (first = low; low < t->chunks.n && t->chunks.at[low].number == number; low++) {
		if (copy_load(b, t->tid, &t->chunks.at[low], bytes, n)) {
			*which = t->chunks.at[low];
			return true;
		}
	}
	b->damaged = true;
	notes_add(b->notes,
		  "damaged chunk %u of T%u at offset %llu: nothing of T%u after it is used", number,
		  t->tid, (unsigned long long)t->chunks.at[first].offset, t->tid);
	return false;
}
