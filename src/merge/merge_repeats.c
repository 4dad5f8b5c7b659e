/*
 * Reads of a growing recording that have no record, or none yet.
 *
 * A thread may repeat a recorded read without further records; a TRAILING record tells the last
 * repetition, afterwards.  Two things follow.
 *
 * - In a chunk that is being written, events are scanned only up to where no future TRAILING record can
 *   belong (decode_chunk_open); the rest is the `tail'.  A closed chunk has all its TRAILING records.
 * - Until it synchronises again, a thread may still be reading any version it has read since the last
 *   synchronisation.  `open' has the last version read of each word; `left', the ones before, whose
 *   TRAILING records may still come, until the recorder closes all runs; `tail', the reads in the
 *   tail.  None of these versions may be replaced yet.  So while a thread spins on a flag, the write
 *   that sets the flag is held back until the thread is seen to go on.
 */

#include "merge/merge_priv.h"

#define OPEN_KEEP 256 /* a larger map is not worth clearing again and again */

/* ---- queues ---- */

static void queue_add(struct merge_queue *q, uint64_t n)
{
	if (q->first == q->at.n || q->at.at[q->at.n - 1] != n)
		*VEC_PUSH(&q->at) = n;
}

/* Drops what is below n. */
static void queue_pass(struct merge_queue *q, uint64_t n)
{
	while (q->first < q->at.n && q->at.at[q->first] < n)
		q->first++;
	if (q->first > q->at.n / 2) {
		q->at.n -= q->first;
		memmove(q->at.at, q->at.at + q->first, q->at.n * sizeof(*q->at.at));
		q->first = 0;
	}
}

static bool queue_has(struct merge_queue *q, uint64_t n)
{
	queue_pass(q, n);
	return q->first < q->at.n && q->at.at[q->first] == n;
}

/* ---- reads that may come ---- */

static void may_come(struct merge *m, uint64_t key, uint64_t n)
{
	*map_put(&m->follow.open, key, NULL) += n;
}

static void has_come(struct merge *m, uint64_t key, uint64_t n)
{
	uint64_t *left = map_get(&m->follow.open, key);

	assert(left && *left >= n);
	*left -= n;
	if (*left == 0)
		map_remove(&m->follow.open, key);
	merge_wake(m, key);
}

static void map_empty(struct map *m)
{
	if (m->capacity <= OPEN_KEEP)
		map_clear(m);
	else
		map_release(m);
}

static void open_clear(struct merge *m, struct merge_thread *t)
{
	struct map_item item;

	for (size_t i = 0; map_next(&t->repeats.open, &i, &item);)
		has_come(m, merge_reads_key(decode_unpack(item.value), item.key), 1);
	map_empty(&t->repeats.open);
	t->stream.repeats = false;
}

/* Of `left' or `tail'. */
static void keys_clear(struct merge *m, struct map *keys)
{
	struct map_item item;

	for (size_t i = 0; map_next(keys, &i, &item);)
		has_come(m, item.key, item.value);
	map_empty(keys);
}

static void open_read(struct merge *m, struct merge_thread *t, const struct event *e)
{
	uint64_t word = e->addr >> 3, v = decode_pack(e->refs[0]), old;
	bool fresh;
	uint64_t *last = map_put(&t->repeats.open, word, &fresh);

	t->stream.repeats = true;
	if (!fresh && *last == v)
		return;
	old = *last;
	*last = v;
	may_come(m, merge_reads_key(e->refs[0], word), 1);
	if (!fresh)
		++*map_put(&t->repeats.left, merge_reads_key(decode_unpack(old), word), NULL);
}

/* The thread has stopped reading what it replaces itself. */
static void open_write(struct merge_repeats *r, const struct event *e)
{
	for (uint32_t i = 0; r->open.n != 0 && i < e->nrefs; i++) {
		uint64_t word = (e->addr >> 3) + i, *last = map_get(&r->open, word), v;

		if (!last)
			continue;
		v = *last;
		map_remove(&r->open, word);
		++*map_put(&r->left, merge_reads_key(decode_unpack(v), word), NULL);
	}
}

void merge_repeats_end(struct merge *m, struct merge_thread *t)
{
	open_clear(m, t);
	keys_clear(m, &t->repeats.left);
	keys_clear(m, &t->repeats.tail);
}

void merge_repeats_release(struct merge_repeats *r)
{
	MAP_RELEASE_ALL(&r->open, &r->left, &r->tail);
	VEC_RELEASE_ALL(&r->ends.at, &r->belated.at);
}

/* Records that the scanning cursor has passed may have closed runs, or synchronised. */
static void repeats_settle(struct merge *m, struct merge_thread *t)
{
	struct merge_repeats *r = &t->repeats;
	const struct decode_cursor *c = &t->stream.scan;

	if (r->nsettled == c->nsettled)
		return;
	keys_clear(m, &r->left);
	if (r->nsynced != c->nsynced)
		open_clear(m, t);
	r->nsettled = c->nsettled;
	r->nsynced = c->nsynced;
}

void merge_repeats_scanned(struct merge *m, struct merge_thread *t, const struct decode_item *item)
{
	if (m->blocks->head.flags & FORMAT_FULL)
		return; /* every read has its record */
	repeats_settle(m, t);
	if (decode_is_repeatable(&item->e))
		open_read(m, t, &item->e);
	else if (item->replaces && !item->chained)
		open_write(&t->repeats, &item->e);
}

bool merge_repeats_withhold(const struct merge *m, const struct merge_thread *t, struct version v,
			    uint64_t word)
{
	const struct merge_repeats *r = &t->repeats;
	uint64_t key = merge_reads_key(v, word), *all = map_get(&m->follow.open, key), *own, n;

	if (!all)
		return false;
	n = *all;
	own = map_get(&r->open, word);
	n -= own && *own == decode_pack(v);
	own = map_get(&r->left, key);
	n -= own ? *own : 0;
	own = map_get(&r->tail, key);
	n -= own ? *own : 0;
	return n != 0;
}

/* ---- reads that were about to be recorded ---- */

/* As if a look had found no events of the thread: it had not begun. */
void merge_repeats_init(struct merge_repeats *r)
{
	*VEC_PUSH(&r->ends.at) = 0;
}

void merge_belated_note(struct merge_thread *t, const struct decode_item *item)
{
	struct merge_queue *ends = &t->repeats.ends;
	uint64_t n = t->stream.nscanned_events;

	if (item->numbers == 0 || !item->reads)
		return;
	queue_pass(ends, n > MERGE_EXTRA ? n - MERGE_EXTRA : 0);
	if (ends->first < ends->at.n && ends->at.at[ends->first] < n)
		queue_add(&t->repeats.belated, n);
}

bool merge_belated_is(struct merge_thread *t)
{
	return queue_has(&t->repeats.belated, t->stream.nfetched_events);
}

/* ---- tails ---- */

/* Notes the reads that are there and not settled, beyond the scanning cursor. */
static void tail_read(struct merge *m, struct merge_thread *t)
{
	struct merge_stream *s = &t->stream;
	struct decode_cursor c;
	struct decode_chunk all = *s->scan.chunk;
	struct decode_item item = { 0 };
	uint64_t events = s->nscanned_events;

	decode_cursor_copy(&c, &s->scan);
	all.n = all.whole;
	c.chunk = &all;
	while (decode_next(&c, &item, NULL)) {
		events += item.numbers != 0;
		for (uint32_t w = 0; item.reads && w < item.e.nrefs; w++) {
			uint64_t key = merge_reads_key(item.e.refs[w], (item.e.addr >> 3) + w);

			++*map_put(&t->repeats.tail, key, NULL);
			may_come(m, key, 1);
		}
	}
	t->repeats.upto = c.tseq;
	queue_add(&t->repeats.ends, events);
	decode_item_release(&item);
	decode_cursor_release(&c);
}

void merge_tail_clear(struct merge *m, struct merge_thread *t)
{
	keys_clear(m, &t->repeats.tail);
}

void merge_tail_renew(struct merge *m, struct merge_thread *t)
{
	const struct merge_stream *s = &t->stream;

	merge_tail_clear(m, t);
	repeats_settle(m, t);
	t->repeats.upto = s->scan.tseq;
	if (s->over || !s->scan.chunk)
		return;
	if (s->scan.chunk->head.closed)
		queue_add(&t->repeats.ends, s->nscanned_events);
	else
		tail_read(m, t);
}
