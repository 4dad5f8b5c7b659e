/*
 * One thread's records with two cursors over them.  Chunks are linked in
 * order: the scanning cursor appends, the emitting one frees what it leaves.
 */
#include "trace/merge_priv.h"

#include <assert.h>
#include <string.h>

#include "trace/notes.h"

void merge_stream_init(struct merge_stream *s, struct blocks *b, const struct blocks_thread *src,
		       struct stacks *stacks, bool ended, struct notes *notes)
{
	memset(s, 0, sizeof(*s));
	s->blocks = b;
	s->src = src;
	s->notes = notes;
	s->ended = ended;
	s->emit.tid = s->scan.tid = src->tid;
	s->emit.stacks = stacks;
}

void merge_stream_release(struct merge_stream *s)
{
	for (struct decode_chunk *c = s->emit.chunk, *next; c; c = next) {
		next = c->next;
		decode_chunk_free(c);
	}
	s->emit.chunk = s->scan.chunk = NULL;
	mem_free(s->next_bytes);
	s->next_bytes = NULL;
	s->over = true;
}

static void chunk_prefetch(struct merge_stream *s)
{
	s->next_bytes = NULL;
	if (s->next_number < s->src->count &&
	    blocks_load(s->blocks, s->src, s->next_number, &s->next_head, &s->next_bytes,
			&s->next_n))
		s->next_number++;
}

/* The scanning cursor enters the next chunk; false: there is none. */
static bool chunk_enter(struct merge_stream *s)
{
	struct blocks_chunk head;
	struct decode_chunk *c;
	uint8_t *bytes;
	uint32_t n;
	bool whole;

	if (s->scan.chunk && s->scan.chunk->broken) {
		s->damaged = true;
		return false;
	}
	if (!s->scan.chunk)
		chunk_prefetch(s);
	if (!s->next_bytes) {
		s->damaged |= !s->scan.chunk;
		return false;
	}
	head = s->next_head;
	bytes = s->next_bytes;
	n = s->next_n;
	if (head.first_tseq != s->scan.tseq + 1) {
		s->damaged = true;
		notes_add(s->notes,
			  "chunk %u of T%u at offset %llu starts with event %llu, not %llu: "
			  "nothing of T%u after it is used",
			  head.number, s->src->tid, (unsigned long long)head.offset,
			  (unsigned long long)head.first_tseq, (unsigned long long)s->scan.tseq + 1,
			  s->src->tid);
		return false;
	}
	chunk_prefetch(s);
	whole = s->next_bytes || (head.closed && (head.last || s->ended) &&
				  s->next_number == s->src->count && !s->src->gap);
	s->damaged |= !whole;
	c = decode_chunk_new(s->src->tid, &head, bytes, n,
			     !whole && !(s->blocks->head.flags & FORMAT_FULL), s->notes);
	s->bytes += c->n;
	if (s->scan.chunk)
		s->scan.chunk->next = c;
	else
		decode_cursor_begin(&s->emit, c);
	decode_cursor_begin(&s->scan, c);
	return true;
}

void merge_stream_load(struct merge_stream *s, uint64_t load)
{
	/* A damaged cut must not take back what an earlier one gave. */
	if (load > s->load) {
		s->load = load;
		s->extra = 0;
	}
}

bool merge_stream_is_short(const struct merge_stream *s)
{
	return s->scan.tseq < s->load || s->extra < MERGE_EXTRA;
}

bool merge_stream_scan(struct merge_stream *s, struct decode_item *item)
{
	while (!s->over) {
		if (s->scan.chunk && decode_next(&s->scan, item, s->notes)) {
			s->nscanned++;
			s->extra += item->numbers != 0 && item->e.tseq > s->load;
			if (item->e.op == EVENT_THREAD_BEGIN && s->stack_high == 0) {
				s->stack_low = item->e.addr;
				s->stack_high = item->e.addr + item->e.len;
			}
			return true;
		}
		s->over = !chunk_enter(s);
	}
	return false;
}

bool merge_stream_is_scanned(const struct merge_stream *s)
{
	return s->nfetched < s->nscanned;
}

bool merge_stream_is_open(const struct merge_stream *s)
{
	const struct decode_cursor *c = &s->emit;

	return merge_stream_is_scanned(s) &&
	       (c->tseq < s->limit ||
		(c->late < c->chunk->late.n && c->chunk->late.at[c->late].after <= c->tseq));
}

bool merge_stream_is_end(const struct merge_stream *s)
{
	return s->over && !merge_stream_is_scanned(s);
}

void merge_stream_fetch(struct merge_stream *s, struct decode_item *item)
{
	assert(merge_stream_is_scanned(s));
	s->nfetched++;
	while (!decode_next(&s->emit, item, NULL)) {
		struct decode_chunk *old = s->emit.chunk;

		assert(old->next);
		decode_cursor_begin(&s->emit, old->next);
		decode_chunk_free(old);
	}
}
