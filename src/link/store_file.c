/*
 * The spool as a file.
 *
 *	| head | FSLT [slot] ... | FARE chunks ... | FCHK control | FARE ... | FSLT ...
 *
 * Somebody reads it while we write, and must never take half a thing for a whole one.  So what makes
 * bytes count is written after them: the head of a chunk in an area, the magic of one in a slot,
 * the first bytes of records that a slot has grown by.  An area that is emptied has generation 0
 * until it is empty.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "link/store_priv.h"

#define PAGE 4096u
#define FIRST_SLOTS 4u
#define MORE_SLOTS 16u
#define AREAS 32u /* that the limit is cut into */
#define AREA_MOST ((uint64_t)16 << 20)
#define RECORD_START 8u /* the head of a record lies in the first so many bytes */

static enum status write_at(const struct store_file *f, uint64_t at, const void *data, size_t n,
			    struct diag *d)
{
	if (io_write_at(f->fd, at, data, n))
		return ST_OK;
	return diag_fail(d, ST_IO, "cannot write the spool: %s", strerror(errno));
}

static uint64_t padded(uint64_t n)
{
	return (n + FORMAT_ALIGN - 1) & ~(uint64_t)(FORMAT_ALIGN - 1);
}

enum status store_file_begin(struct store_file *f, const char *path,
			     const struct message_hello *hello, uint64_t limit, struct diag *d)
{
	/* Until something is lost it is a recording like any other. */
	*f = (struct store_file){ .end = sizeof(f->head), .limit = limit };
	f->head = (struct format_file){ .magic = FORMAT_MAGIC,
					.version = hello->format,
					.header_size = sizeof(f->head),
					.flags = (hello->flags & ~FORMAT_KEEP) | FORMAT_COPY,
					.pid = hello->pid,
					.start_ns = hello->start_ns };
	f->area_size = limit / AREAS < AREA_MOST ? limit / AREAS : AREA_MOST;
	f->area_size -= f->area_size % PAGE;
	f->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return diag_fail(d, ST_IO, "cannot write the spool '%s': %s", path,
				 strerror(errno));
	return write_at(f, 0, &f->head, sizeof(f->head), d);
}

/* The reader is told that the beginning may be missing. */
static enum status head_lose(struct store_file *f, struct diag *d)
{
	if (f->head.flags & FORMAT_KEEP)
		return ST_OK;
	f->head.flags |= FORMAT_KEEP;
	return write_at(f, 0, &f->head, sizeof(f->head), d);
}

void store_file_end(struct store_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	VEC_RELEASE_ALL(&f->slots, &f->free, &f->areas);
}

/* ---- areas ---- */

static enum status area_head(const struct store_file *f, const struct store_area *a, struct diag *d)
{
	struct format_area head = { .magic = FORMAT_AREA,
				    .generation = a->generation,
				    .length = f->area_size };

	return write_at(f, a->offset, &head, sizeof(head), d);
}

/* Zeros, on a file system that can do without writing them if there is one. */
static enum status zero(const struct store_file *f, uint64_t at, uint64_t n, struct diag *d)
{
	static const char zeros[64 << 10];
	enum status st = ST_OK;

	if (fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n) == 0)
		return ST_OK;
	for (uint64_t done = 0; done < n && st == ST_OK; done += sizeof(zeros))
		st = write_at(f, at + done, zeros,
			      n - done < sizeof(zeros) ? n - done : sizeof(zeros), d);
	return st;
}

static enum status area_empty(struct store_file *f, struct store_area *a, struct diag *d)
{
	uint64_t head = sizeof(struct format_area);
	enum status st = head_lose(f, d);

	a->generation = 0;
	if (st == ST_OK)
		st = area_head(f, a, d);
	if (st == ST_OK)
		st = zero(f, a->offset + head, f->area_size - head, d);
	return st;
}

/* The one that was begun first, empty ones before all; NULL: there is none. */
static struct store_area *area_oldest(const struct store_file *f)
{
	struct store_area *best = NULL;

	for (size_t i = 0; i < f->areas.n; i++)
		if (!best || f->areas.at[i].generation < best->generation)
			best = &f->areas.at[i];
	return best;
}

/* An empty area, a new one, or the oldest when there are as many as there may be. */
static enum status area_begin(struct store_file *f, struct diag *d)
{
	struct store_area *a = area_oldest(f);
	enum status st = ST_OK;

	if (!a || (a->generation != 0 && f->areas.n < f->limit / f->area_size)) {
		a = VEC_PUSH(&f->areas);
		*a = (struct store_area){ .offset = f->end };
		f->end += f->area_size;
	} else if (a->generation != 0) {
		st = area_empty(f, a, d);
		f->emptied++;
	}
	if (st != ST_OK)
		return st;
	a->generation = ++f->generation;
	f->area_at = a->offset + sizeof(struct format_area);
	f->area_end = a->offset + f->area_size;
	return area_head(f, a, d);
}

static enum status area_append(struct store_file *f, const struct format_chunk *c, struct diag *d)
{
	uint64_t n = sizeof(*c) + (uint64_t)c->used;
	enum status st = ST_OK;

	if (f->area_end - f->area_at < padded(n))
		st = area_begin(f, d);
	if (st == ST_OK)
		st = write_at(f, f->area_at + sizeof(*c), c + 1, c->used, d);
	if (st == ST_OK)
		st = write_at(f, f->area_at, c, sizeof(*c), d);
	f->area_at += padded(n);
	return st;
}

/* The control stream is needed to the end: it is never dropped, so it must not be endless. */
static enum status control_append(struct store_file *f, const struct format_chunk *c,
				  struct diag *d)
{
	static const char zeros[FORMAT_ALIGN];
	uint64_t n = sizeof(*c) + (uint64_t)c->used, at = f->end;
	enum status st;

	f->control += n;
	if (f->control > f->limit / 2)
		return diag_fail(
			d, ST_LIMIT,
			"the control stream alone takes more than half of the spool; a larger "
			"--spool-size may help");
	f->end += padded(n);
	st = write_at(f, at, c, n, d);
	return st == ST_OK ? write_at(f, at + n, zeros, padded(n) - n, d) : st;
}

enum status store_file_forget(struct store_file *f, struct diag *d)
{
	enum status st = head_lose(f, d);

	for (size_t i = 0; i < f->areas.n && st == ST_OK; i++)
		if (f->areas.at[i].generation != 0)
			st = area_empty(f, &f->areas.at[i], d);
	f->area_at = f->area_end = 0;
	return st;
}

enum status store_file_append(struct store_file *f, const struct format_chunk *c, struct diag *d)
{
	return c->tid == FORMAT_CONTROL_TID ? control_append(f, c, d) : area_append(f, c, d);
}

/* ---- slots ---- */

static enum status extent_add(struct store_file *f, struct diag *d)
{
	struct format_slots head = { .magic = FORMAT_SLOTS,
				     .count = f->slots.n == 0 ? FIRST_SLOTS : MORE_SLOTS,
				     .size = FORMAT_SLOT_SIZE };
	uint64_t at = f->end, first = (at + sizeof(head) + PAGE - 1) / PAGE * PAGE;

	head.first = (uint32_t)(first - at);
	head.length = head.first + (uint64_t)head.count * head.size;
	f->end += head.length;
	if (ftruncate(f->fd, (off_t)f->end) != 0)
		return diag_fail(d, ST_IO, "cannot write the spool: %s", strerror(errno));
	for (uint32_t i = head.count; i-- > 0;)
		*VEC_PUSH(&f->free) = (uint32_t)f->slots.n + i;
	for (uint32_t i = 0; i < head.count; i++)
		*VEC_PUSH(&f->slots) =
			(struct store_slot){ .offset = first + (uint64_t)i * head.size };
	return write_at(f, at, &head, sizeof(head), d);
}

enum status store_file_take(struct store_file *f, uint32_t *slot, struct diag *d)
{
	enum status st = f->free.n == 0 ? extent_add(f, d) : ST_OK;

	if (st == ST_OK)
		*slot = f->free.at[--f->free.n];
	return st;
}

void store_file_give(struct store_file *f, uint32_t slot)
{
	*VEC_PUSH(&f->free) = slot;
}

enum status store_file_wipe(struct store_file *f, uint32_t slot, struct diag *d)
{
	struct store_slot *s = &f->slots.at[slot];
	uint64_t records = s->offset + sizeof(struct format_chunk);
	uint32_t magic = 0;
	enum status st = write_at(f, s->offset, &magic, sizeof(magic), d);

	if (st == ST_OK && s->dirty != 0)
		st = zero(f, records, s->dirty, d);
	s->dirty = 0;
	return st;
}

enum status store_file_grow(struct store_file *f, uint32_t slot, const struct format_chunk *head,
			    const struct message_records *more, struct diag *d)
{
	struct store_slot *s = &f->slots.at[slot];
	uint64_t at = s->offset + sizeof(*head) + more->from;
	uint32_t start = more->n < RECORD_START ? more->n : RECORD_START;
	enum status st = more->from == 0 ? store_file_wipe(f, slot, d) : ST_OK;

	s->dirty = more->from + more->n;
	if (st == ST_OK)
		st = write_at(f, at + start, more->bytes + start, more->n - start, d);
	if (st == ST_OK)
		st = write_at(f, at, more->bytes, start, d);
	if (st == ST_OK && more->from == 0)
		st = write_at(f, s->offset + sizeof(head->magic),
			      (const char *)head + sizeof(head->magic),
			      sizeof(*head) - sizeof(head->magic), d);
	if (st == ST_OK && more->from == 0)
		st = write_at(f, s->offset, &head->magic, sizeof(head->magic), d);
	return st;
}

enum status store_file_read(const struct store_file *f, uint32_t slot, uint8_t *into, uint32_t n,
			    struct diag *d)
{
	uint64_t at = f->slots.at[slot].offset + sizeof(struct format_chunk);

	if (io_read_at(f->fd, at, into, n) == n)
		return ST_OK;
	return diag_fail(d, ST_IO, "cannot read the spool: %s",
			 errno ? strerror(errno) : "it has become shorter");
}
