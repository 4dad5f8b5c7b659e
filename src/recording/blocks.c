/*
 * The index of a recording's chunks, and their bytes.
 */
#include "recording/blocks.h"

#include <fcntl.h>
#include <unistd.h>

#include "recording/blocks_priv.h"

static int chunk_order(const void *x, const void *y)
{
	const struct blocks_chunk *a = x, *b = y;

	/* An open chunk that went on in a larger slot: the other one has its beginning. */
	return SORT_ORDER(a->number, b->number) ?: SORT_ORDER(b->closed, a->closed) ?:
	       (a->closed ? 0 : SORT_ORDER(b->nheld, a->nheld)) ?: SORT_ORDER(a->offset, b->offset);
}

static int thread_order(const void *x, const void *y)
{
	const struct blocks_thread *a = x, *b = y;

	return SORT_ORDER(a->tid, b->tid);
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
		if (k->in_slot && k->closed && i > 0 && k->number == k[-1].number && k[-1].closed) {
			mem_free(k->held);
			k->held = NULL;
		}
		if (k->number == t->count) {
			t->count++;
		} else if (k->number > t->count) {
			t->gap = true;
			b->damaged = true;
			texts_note(b->notes,
				   "chunk %u of T%u is missing; nothing of T%u after it is used",
				   t->count, t->tid, t->tid);
			break;
		}
	}
}

static enum status file_head_check(struct blocks *b, const char *path, struct diag *d)
{
	size_t magic = sizeof(b->head.magic);
	uint64_t n = blocks_read_at(b, 0, &b->head, sizeof(b->head));

	if (memcmp(b->head.magic, FORMAT_MAGIC, n < magic ? n : magic) != 0)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is not a foresee recording", path);
	if (n >= 12 && b->head.version > FORMAT_VERSION)
		return diag_fail(d, ST_BAD_INPUT,
				 "trace '%s' has version %u, this foresee reads up to %u; "
				 "use a newer foresee",
				 path, b->head.version, FORMAT_VERSION);
	if (n < sizeof(b->head)) {
		memset(&b->head, 0, sizeof(b->head));
		b->head.version = FORMAT_VERSION;
		blocks_damage(b, "the file ends inside its header", n);
		b->head.header_size = sizeof(b->head);
	} else if (b->head.header_size < sizeof(b->head))
		return diag_fail(d, ST_BAD_INPUT, "bad header size %u in '%s'", b->head.header_size,
				 path);
	return ST_OK;
}

enum status blocks_open(struct blocks *b, const char *path, struct texts *notes, struct diag *d)
{
	enum status status;

	memset(b, 0, sizeof(*b));
	b->notes = notes;
	b->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0 || !blocks_size_take(b)) {
		diag_set(d, "cannot open '%s': %s", path, strerror(errno));
		blocks_close(b);
		return ST_IO;
	}
	status = file_head_check(b, path, d);
	if (status != ST_OK) {
		blocks_close(b);
		return status;
	}
	blocks_scan_file(b);
	if (b->size < b->head.end_size && !(b->head.flags & FORMAT_COPY))
		blocks_damage(b, "the file was longer once; it ends", b->size);
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
	blocks_scan_clear(b);
	map_release(&b->by_tid);
	mem_free(b->cache);
	b->cache = NULL;
}

struct blocks_thread *blocks_thread(struct blocks *b, uint32_t tid)
{
	uint64_t *index = map_get(&b->by_tid, tid);

	return index ? &b->threads.at[*index - 1] : NULL;
}

/* A chunk that is being written is in its slot still, or was not begun when the slot was read, which
 * cannot be when the process had ended. */
static bool tail_may_come(struct blocks *b)
{
	const struct blocks_thread *t = blocks_thread(b, b->tail_tid);

	if (b->tail_at < b->gaps.at[b->gaps.n - 1].from)
		return true; /* zeros */
	for (size_t i = 0; t && i < t->chunks.n; i++)
		if (t->chunks.at[i].in_slot)
			return t->chunks.at[t->chunks.n - 1].number <= b->tail_number;
	return b->tail_number == 0 &&
	       !(b->head.ended & (FORMAT_ENDED_EXITED | FORMAT_ENDED_KILLED));
}

void blocks_end(struct blocks *b, bool ended)
{
	if (b->cut && (ended || !tail_may_come(b)))
		blocks_damage(b, "cut block", b->gaps.at[b->gaps.n - 1].from);
	if (b->threads.n == 0 && (b->head.ended & (FORMAT_ENDED_EXITED | FORMAT_ENDED_KILLED)))
		texts_note(b->notes,
			   "nothing was recorded: there was no room for a trace (a full disk, "
			   "ulimit -f), or the program ended before it began");
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
		if (blocks_read_at(b, k->offset, p, want) != want)
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
	return SEARCH_PAST(i, 0, t->chunks.n, t->chunks.at[i].number < number);
}

bool blocks_load(struct blocks *b, const struct blocks_thread *t, uint32_t number,
		 struct blocks_chunk *which, uint8_t **bytes, uint32_t *n)
{
	size_t first = blocks_find(t, number), i;

	for (i = first; i < t->chunks.n && t->chunks.at[i].number == number; i++) {
		if (copy_load(b, t->tid, &t->chunks.at[i], bytes, n)) {
			*which = t->chunks.at[i];
			which->version = b->head.version;
			return true;
		}
	}
	b->damaged = true;
	if (b->head.flags & FORMAT_KEEP)
		texts_note(b->notes,
			   "chunk %u of T%u at offset %llu is damaged, or was dropped while it was "
			   "being read: nothing of T%u after it is used",
			   number, t->tid, (unsigned long long)t->chunks.at[first].offset, t->tid);
	else
		texts_note(
			b->notes,
			"damaged chunk %u of T%u at offset %llu: nothing of T%u after it is used",
			number, t->tid, (unsigned long long)t->chunks.at[first].offset, t->tid);
	return false;
}
