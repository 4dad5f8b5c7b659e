/*
 * Closed chunks are copied as they are, open ones into slots of an extent of the copy's own:
 *
 *	| file head | FCHK control ... | FCHK ... | FCHK ... | FSLT [open chunk][open chunk]
 *
 * The control stream goes first: every cut that it names lies before the moment at which the threads
 * are copied, so all events up to it are there.  Threads are copied at different moments.  What one
 * names of another that is not there yet, the reader takes for lost, as in the recording of a
 * program that was killed.
 */
#include "recording/snapshot.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "trace/format.h"
#include "recording/windows.h"

/* Cuts on both sides that are copied too: what the reader looks at to place events near the ends. */
#define MARGIN 3

struct open_chunk {
	struct format_chunk head;
	uint8_t *bytes;
	uint32_t n;
};

struct copy {
	int fd;
	uint64_t at;
	bool failed;
	struct windows *w;
	struct map low, high; /* by tid, its events at the cuts that bound the copy */
	bool has_high;
	VEC(struct open_chunk) open;
};

static void write_at(struct copy *c, uint64_t offset, const void *bytes, size_t n)
{
	c->failed = c->failed || !io_write_at(c->fd, offset, bytes, n);
}

static uint64_t aligned(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* The events of each thread at a cut. */
static void cut_get(const struct control *c, uint64_t cut, struct map *out)
{
	for (uint64_t i = 0; i < control_cut_end(c, cut); i++)
		*map_put(out, c->pairs.at[i].tid, NULL) = c->pairs.at[i].tseq;
}

/*
 * A chunk is left out when the next one had been begun by the cut: then that cut was over after all
 * that is left out had been closed, and a reader who finds it gone (merge/portion.c) need not begin
 * later than it was asked to.  The last one of a thread that has ended goes when all of it is counted.
 */
static bool is_needed(const struct copy *c, const struct blocks_thread *t, size_t i)
{
	const uint64_t *low = map_get(&c->low, t->tid), *high = map_get(&c->high, t->tid);
	const struct blocks_chunk *k = &t->chunks.at[i];
	size_t next = blocks_find(t, k->number + 1);

	if (t->tid == FORMAT_CONTROL_TID)
		return true;
	if (low && next < t->chunks.n && t->chunks.at[next].first_tseq <= *low)
		return false;
	if (low && k->last && k->first_tseq + k->nevents <= *low + 1)
		return false;
	return !c->has_high || (high && k->first_tseq <= *high);
}

static void chunk_copy(struct copy *c, const struct blocks_thread *t, uint32_t number)
{
	struct format_chunk head = { .magic = FORMAT_CHUNK, .tid = t->tid, .number = number };
	struct blocks_chunk k;
	uint8_t *bytes;
	uint32_t n;

	if (!blocks_load(&c->w->blocks, t, number, &k, &bytes, &n))
		return; /* in this copy the thread ends before it */
	head.first_tseq = k.first_tseq;
	head.start_ns = k.start_ns;
	if (!k.closed) {
		while (n > 0 && bytes[n - 1] == 0)
			n--;
		*VEC_PUSH(&c->open) = (struct open_chunk){ head, bytes, n };
		return;
	}
	head.used = n;
	head.ntrailing = k.ntrailing;
	head.flags = FORMAT_CHUNK_CLOSED | (k.last ? FORMAT_CHUNK_LAST : 0);
	head.sum = k.sum;
	head.nevents = k.nevents;
	head.nitems = k.nitems;
	head.head_sum = format_head_sum(&head);
	write_at(c, c->at, &head, sizeof(head));
	write_at(c, c->at + sizeof(head), bytes, n);
	c->at = aligned(c->at + sizeof(head) + n, FORMAT_ALIGN);
	mem_free(bytes);
}

static void thread_copy(struct copy *c, const struct blocks_thread *t)
{
	for (size_t i = 0; i < t->chunks.n && !c->failed; i++) {
		const struct blocks_chunk *k = &t->chunks.at[i];

		if (i > 0 && t->chunks.at[i - 1].number == k->number)
			continue; /* another copy */
		if (is_needed(c, t, i))
			chunk_copy(c, t, k->number);
	}
}

/* What is not written of a slot is a hole, and reads as zeros. */
static void open_copy(struct copy *c)
{
	struct format_slots s = { .magic = FORMAT_SLOTS, .first = FORMAT_ALIGN, .size = 4096 };

	for (size_t i = 0; i < c->open.n; i++) {
		uint64_t need = aligned(sizeof(struct format_chunk) + c->open.at[i].n + 8, 4096);

		s.size = need > s.size ? (uint32_t)need : s.size;
	}
	s.count = (uint32_t)c->open.n;
	s.length = s.first + (uint64_t)s.count * s.size;
	write_at(c, c->at, &s, sizeof(s));
	for (size_t i = 0; i < c->open.n; i++) {
		uint64_t slot = c->at + s.first + i * s.size;

		write_at(c, slot, &c->open.at[i].head, sizeof(struct format_chunk));
		write_at(c, slot + sizeof(struct format_chunk), c->open.at[i].bytes,
			 c->open.at[i].n);
	}
	c->at += s.length;
}

static void copy_release(struct copy *c)
{
	for (size_t i = 0; i < c->open.n; i++)
		mem_free(c->open.at[i].bytes);
	VEC_RELEASE(&c->open);
	MAP_RELEASE_ALL(&c->low, &c->high);
}

static void copy_all(struct copy *c, uint64_t from_cut, uint64_t to_cut)
{
	struct format_file head = c->w->blocks.head;

	head.header_size = sizeof(head);
	if (from_cut > MARGIN) {
		cut_get(&c->w->control, from_cut - MARGIN, &c->low);
		head.flags |= FORMAT_KEEP; /* threads may begin in the middle */
	}
	if (to_cut && to_cut + MARGIN <= windows_last(c->w)) {
		cut_get(&c->w->control, to_cut + MARGIN, &c->high);
		c->has_high = true;
	}
	write_at(c, 0, &head, sizeof(head));
	c->at = sizeof(head);
	for (size_t i = 0; i < c->w->blocks.threads.n; i++)
		thread_copy(c, &c->w->blocks.threads.at[i]); /* by tid: the control stream first */
	if (c->open.n)
		open_copy(c);
	if (!c->failed)
		c->failed = ftruncate(c->fd, (off_t)c->at) != 0;
}

bool snapshot_make(struct snapshot *s, struct windows *w, uint64_t from_cut, uint64_t to_cut)
{
	struct copy c = { .fd = memfd_create("foresee-snapshot", MFD_CLOEXEC), .w = w };

	*s = (struct snapshot){ .fd = c.fd };
	if (c.fd < 0)
		return false;
	copy_all(&c, from_cut, to_cut);
	copy_release(&c);
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
	if (c.failed)
		snapshot_close(s);
	return !c.failed;
}

void snapshot_close(struct snapshot *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
