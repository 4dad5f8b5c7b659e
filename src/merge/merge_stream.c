/*
 * One thread's records with two cursors over them.  Chunks are linked in
 * order: the scanning cursor appends, the emitting one frees what it leaves.
 */
#include "merge/merge_priv.h"

void merge_stream_init(struct merge_stream *s, struct blocks *b, const struct blocks_thread *src,
		       struct stacks *stacks, bool ended, struct texts *notes)
{
	memset(s, 0, sizeof(*s));
	s->blocks = b;
	s->src = src;
	s->notes = notes;
	s->ended = ended;
	s->emit.tid = s->scan.tid = src->tid;
	s->emit.stacks = stacks;
}

void merge_stream_start(struct merge_stream *s, uint32_t chunk, uint64_t end)
{
	size_t i = blocks_find(s->src, chunk);

	s->next_number = chunk;
	s->end = end;
	if (i < s->src->chunks.n && s->src->chunks.at[i].number == chunk && chunk != 0)
		s->emit.tseq = s->scan.tseq = s->src->chunks.at[i].first_tseq - 1;
}

void merge_stream_release(struct merge_stream *s)
{
	for (struct decode_chunk *c = s->emit.chunk, *next; c; c = next) {
		next = c->next;
		decode_chunk_free(c);
	}
	s->emit.chunk = s->scan.chunk = NULL;
	decode_cursor_release(&s->emit);
	decode_cursor_release(&s->scan);
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

/* Did the thread, or the run, end in good order with the thread's last chunk? */
static bool ends_well(const struct merge_stream *s)
{
	const struct blocks_thread *t = s->src;
	bool well = false;

	for (size_t i = 0; i < t->chunks.n; i++) {
		const struct blocks_chunk *k = &t->chunks.at[i];

		if (k->number == t->count - 1 && k->closed)
			well |= k->last || s->ended;
	}
	return well && !t->gap;
}

/*
 * Finds the first read of the thread that may be missing (struct decode_doubt).  The epoch that was
 * open at the end may reach back over chunks: runs go on from one to the next.
 */
static void doubt_find(struct merge_stream *s)
{
	struct decode_doubt all = { 0 }, d;
	struct blocks_chunk head;
	uint32_t number = s->src->count, settled_in = 0, n;
	uint8_t *bytes;

	if ((s->blocks->head.flags & FORMAT_FULL) || number == 0 || ends_well(s))
		return;
	while (!all.has_sync && number-- > s->src->first &&
	       blocks_load(s->blocks, s->src, number, &head, &bytes, &n)) {
		decode_doubt_learn(s->src->tid, &head, bytes, n, &d);
		if (!all.has_settled && d.has_settled) {
			all.has_settled = true;
			all.settled = d.settled;
			settled_in = number;
		}
		if (d.has_read) {
			all.has_read = true;
			all.read = d.read;
			s->doubt_number = number;
		}
		all.has_sync = d.has_sync;
	}
	if (!all.has_read)
		return;
	if (all.has_settled && all.settled > all.read.after) {
		all.read.after = all.settled;
		s->doubt_number = settled_in;
	}
	s->has_doubt = true;
	s->doubt = all.read;
	if (s->scan.chunk ? s->doubt.after < s->scan.tseq : s->doubt_number < s->next_number) {
		/* It lies before what is read here: put it at the start of that, or, when following,
		 * behind what has been scanned, which is settled. */
		s->doubt_number = s->scan.chunk ? s->scan.chunk->head.number : s->next_number;
		s->doubt.after = s->scan.tseq;
	}
	texts_note(
		s->notes,
		"T%u ended without closing its epoch: nothing of T%u after event %llu is relied on",
		s->src->tid, s->src->tid, (unsigned long long)all.read.after);
}

/* Nothing is missing behind the chunk, which is the last one loaded. */
static bool is_final(const struct merge_stream *s, const struct blocks_chunk *head)
{
	return head->closed && (head->last || s->ended) && s->next_number == s->src->count &&
	       !s->src->gap;
}

/* The chunk is the thread's next one. */
static bool chunk_follows(struct merge_stream *s, const struct blocks_chunk *head)
{
	if (head->first_tseq == s->scan.tseq + 1)
		return true;
	s->damaged = true;
	texts_note(s->notes,
		   "chunk %u of T%u at offset %llu starts with event %llu, not %llu: "
		   "nothing of T%u after it is used",
		   head->number, s->src->tid, (unsigned long long)head->offset,
		   (unsigned long long)head->first_tseq, (unsigned long long)s->scan.tseq + 1,
		   s->src->tid);
	return false;
}

static void chunk_append(struct merge_stream *s, struct decode_chunk *c)
{
	s->bytes += c->n;
	if (s->scan.chunk)
		s->scan.chunk->next = c;
	else
		decode_cursor_begin(&s->emit, c);
	decode_cursor_begin(&s->scan, c);
}

/* The scanning cursor enters the next chunk, if there is one by now. */
static bool chunk_await(struct merge_stream *s)
{
	struct decode_chunk *c = s->scan.chunk;
	struct blocks_chunk head;
	uint8_t *bytes;
	uint32_t n;

	if (c && (c->broken || (c->head.closed && c->head.last))) {
		s->damaged |= c->broken;
		s->over = true;
		return false;
	}
	if ((c && !c->head.closed) || s->next_number >= s->src->count)
		return false;
	if (!blocks_load(s->blocks, s->src, s->next_number, &head, &bytes, &n)) {
		s->over = s->damaged = true;
		return false;
	}
	if (!chunk_follows(s, &head)) {
		mem_free(bytes);
		s->over = true;
		return false;
	}
	s->next_number++;
	s->carried = s->repeats;
	chunk_append(s, head.closed
				? decode_chunk_new(s->src->tid, &head, bytes, n, false, s->notes)
				: decode_chunk_open(s->src->tid, &head, bytes, n, s->carried));
	return true;
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
	if (!s->scan.chunk) {
		doubt_find(s);
		chunk_prefetch(s);
	}
	if (!s->next_bytes) {
		s->damaged |= !s->scan.chunk;
		return false;
	}
	head = s->next_head;
	bytes = s->next_bytes;
	n = s->next_n;
	if (!chunk_follows(s, &head))
		return false;
	chunk_prefetch(s);
	whole = s->next_bytes || is_final(s, &head);
	s->damaged |= !whole;
	c = decode_chunk_new(s->src->tid, &head, bytes, n,
			     !whole && head.number + 1 != s->src->count &&
				     !(s->blocks->head.flags & FORMAT_FULL),
			     s->notes);
	if (s->has_doubt && head.number == s->doubt_number)
		decode_chunk_doubt(c, s->doubt);
	chunk_append(s, c);
	return true;
}

/* More of the chunk that is being written. */
static void chunk_grow(struct merge_stream *s, bool last)
{
	struct decode_chunk *c = s->scan.chunk;
	struct blocks_chunk head;
	uint8_t *bytes;
	uint32_t n, had = c->n;

	if (!blocks_load(s->blocks, s->src, c->head.number, &head, &bytes, &n)) {
		s->over = s->damaged = true;
		return;
	}
	if (!decode_chunk_grow(&s->scan, &head, bytes, n, s->carried, last, s->notes))
		s->over = s->damaged = true;
	s->bytes += c->n - had;
	mem_free(bytes);
}

/* Nothing more comes: brings the stream into the state that chunk_enter would have left. */
static void stream_settle(struct merge_stream *s)
{
	s->follow = false;
	if (!s->scan.chunk)
		return;
	doubt_find(s);
	chunk_prefetch(s);
	s->damaged |= !s->next_bytes && !is_final(s, &s->scan.chunk->head);
	if (s->has_doubt && s->scan.chunk->head.number == s->doubt_number)
		decode_chunk_doubt(s->scan.chunk, s->doubt);
}

void merge_stream_grow(struct merge_stream *s, const struct blocks_thread *src, bool last,
		       bool ended)
{
	s->src = src;
	s->ended = ended;
	if (s->over)
		return;
	if (s->scan.chunk && !s->scan.chunk->head.closed)
		chunk_grow(s, last);
	if (last && !s->over)
		stream_settle(s);
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
		if (s->scan.tseq >= s->end && s->tail_records == MERGE_EXTRA) {
			s->over = true;
			break;
		}
		if (s->scan.chunk && decode_next(&s->scan, item, s->notes)) {
			s->nscanned++;
			s->extra += item->numbers != 0 && item->e.tseq > s->load;
			s->tail_records += item->numbers != 0 && item->e.tseq > s->end;
			s->nscanned_events += item->numbers != 0;
			if (item->e.op == EVENT_THREAD_BEGIN && s->stack_high == 0) {
				s->stack_low = item->e.addr;
				s->stack_high = item->e.addr + item->e.len;
			}
			return true;
		}
		if (s->follow) {
			if (!chunk_await(s))
				break;
			continue;
		}
		s->over = !chunk_enter(s);
	}
	if (s->over)
		decode_cursor_release(&s->scan);
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
	       (c->tseq < s->limit || s->grace > 0 ||
		(c->trailing < c->chunk->trailing.n &&
		 c->chunk->trailing.at[c->trailing].after <= c->tseq));
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
	if (merge_stream_is_end(s))
		decode_cursor_release(&s->emit);
	if (item->numbers == 0)
		return;
	s->nfetched_events++;
	if (s->grace > 0 && item->e.tseq > s->limit)
		s->grace--;
}
