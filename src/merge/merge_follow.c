/*
 * Merging while the recording grows.
 *
 * The reference model: read the file again from the start whenever it has grown, and yield the events
 * that were not yielded before.  That is no run: what rule 3 puts before an event may turn up after
 * the event was yielded.  So an event is yielded only when all that may have to come before it is
 * known, and nothing is ever read twice.
 *
 *	thread   ======emit=====>....scan....>~~~~tail~~~~>
 *	                     look n          settled       look n + 1
 *
 * How far to scan.  The cuts of the file come too seldom (every few megabytes), so looks take their
 * place: what had been done when a look ended has been recorded when the next one begins, but for
 * what threads were just about to record.  Events that were there at one look are thus yielded after
 * the next.  Who is behind by several cuts goes from cut to cut instead, so that memory stays bounded.
 * After a look the next two cuts will not do, for they may have been begun before it had ended: a cut
 * takes megabytes of records, a look does not take as long.
 *
 * Repeated reads.  A read that was recorded may go on and on without a record; the LATE record, of
 * its last time, comes afterwards.  Two things follow.
 *
 * - A chunk that is being written is scanned up to where no LATE record can belong any more
 *   (decode_chunk_open); what is there beyond it is the tail.  Closed chunks have all theirs.
 * - Until its next synchronisation a thread may still be reading the versions that it has read since
 *   the last one: `open', one version for each word, for who reads another one has done with the
 *   first, though its LATE record may come later: `left', until runs are closed.  And what it reads
 *   in its tail it will have read.  Nobody may replace any of these yet.  A thread that waits in a
 *   loop for a flag thus keeps the one who sets it waiting here until it is seen to go on.
 *
 * About to be recorded.  A thread may have read, and be kept from writing the record for longer than
 * there is between two looks.  What others replaced meanwhile has been yielded, and the read comes
 * too late.  It is one of the first MERGE_EXTRA records after what was there at a look; of these, a
 * read of a version that is known to be replaced is unknown (EVENT_UNKNOWN): its thread gets there
 * and no further.  The last GONE_MAX replacements are remembered.  A read that comes later still is
 * not told from others, so whoever follows must not rely on what he finds without another proof
 * (live/live_property.c).
 *
 * INIT.  Of a read of INIT nobody knows whether it belongs to this life of the word or to a later one.
 * Patience (merge.c) would be a guess here, for a thread can be held up for long.  Who waits for such
 * reads goes on when all those who are to make them wait for him; of several that wait for one
 * another so, the first.  Since that may be the wrong one, INIT of that word is unknown from then on.
 */
#include <assert.h>
#include <string.h>

#include "recording/blocks.h"
#include "recording/control.h"
#include "trace/format.h"
#include "merge/merge.h"
#include "merge/merge_priv.h"

#define GONE_MAX (1u << 18)
#define SKIP_CUTS 2
#define BEHIND_CUTS 2 /* then cuts are used */
/* What may wait for one thread. */
#define HELD_MAX (UINT64_C(512) << 20)
#define READS_MAX (8u << 20)
#define KNOT_DEPTH 8  /* threads in a circle of such */
#define OPEN_KEEP 256 /* a larger map is not worth clearing again and again */

static uint64_t version_pack(struct version v)
{
	return (uint64_t)v.tid << FORMAT_TSEQ_BITS | v.tseq;
}

static struct version version_unpack(uint64_t n)
{
	return (struct version){ (uint32_t)(n >> FORMAT_TSEQ_BITS),
				 n & (((uint64_t)1 << FORMAT_TSEQ_BITS) - 1) };
}

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
	if (m->capacity <= OPEN_KEEP) {
		map_clear(m);
		return;
	}
	map_release(m);
	map_init(m);
}

static void open_clear(struct merge *m, struct merge_stream *s)
{
	struct map_item item;

	for (size_t i = 0; map_next(&s->open, &i, &item);)
		has_come(m, merge_reads_key(version_unpack(item.value), item.key), 1);
	map_empty(&s->open);
	s->repeats = false;
}

/* Of `left' or `tail'. */
static void keys_clear(struct merge *m, struct map *keys)
{
	struct map_item item;

	for (size_t i = 0; map_next(keys, &i, &item);)
		has_come(m, item.key, item.value);
	map_empty(keys);
}

static void open_read(struct merge *m, struct merge_stream *s, const struct event *e)
{
	uint64_t word = e->addr >> 3, v = version_pack(e->refs[0]), old;
	bool fresh;
	uint64_t *place = map_put(&s->open, word, &fresh);

	s->repeats = true;
	if (!fresh && *place == v)
		return;
	old = *place;
	*place = v;
	may_come(m, merge_reads_key(e->refs[0], word), 1);
	if (!fresh)
		++*map_put(&s->left, merge_reads_key(version_unpack(old), word), NULL);
}

/* It has done with what it has replaced. */
static void open_write(struct merge_stream *s, const struct event *e)
{
	for (uint32_t i = 0; s->open.n != 0 && i < e->nrefs; i++) {
		uint64_t word = (e->addr >> 3) + i, *place = map_get(&s->open, word), v;

		if (!place)
			continue;
		v = *place;
		map_remove(&s->open, word);
		++*map_put(&s->left, merge_reads_key(version_unpack(v), word), NULL);
	}
}

void merge_follow_leave(struct merge *m, struct merge_thread *t)
{
	open_clear(m, &t->stream);
	keys_clear(m, &t->stream.left);
	keys_clear(m, &t->stream.tail);
}

/* The item scanned last may have been done, and not recorded, at a look before. */
static bool is_belated(struct merge_stream *s)
{
	uint64_t n = s->nscanned_events;

	queue_pass(&s->ends, n > MERGE_EXTRA ? n - MERGE_EXTRA : 0);
	return s->ends.first < s->ends.at.n && s->ends.at.at[s->ends.first] < n;
}

/* What the records say that were passed. */
static void stream_settled(struct merge *m, struct merge_stream *s)
{
	if (s->nsettled == s->scan.nsettled)
		return;
	keys_clear(m, &s->left);
	if (s->nsynced != s->scan.nsynced)
		open_clear(m, s);
	s->nsettled = s->scan.nsettled;
	s->nsynced = s->scan.nsynced;
}

void merge_follow_scanned(struct merge *m, struct merge_thread *t, const struct decode_item *item)
{
	struct merge_stream *s = &t->stream;

	if (item->numbers != 0 && item->reads && is_belated(s))
		queue_add(&s->belated, s->nscanned_events);
	if (!m->follow.on || (m->blocks->head.flags & FORMAT_FULL))
		return; /* every read has its record */
	stream_settled(m, s);
	if (decode_is_repeatable(&item->e))
		open_read(m, s, &item->e);
	else if (item->replaces && !item->chained)
		open_write(s, &item->e);
}

bool merge_follow_blocks(const struct merge *m, const struct merge_thread *t, struct version v,
			 uint64_t word)
{
	const struct merge_stream *s = &t->stream;
	uint64_t key = merge_reads_key(v, word), *all = map_get(&m->follow.open, key), *own, n;

	if (!all)
		return false;
	n = *all;
	own = map_get(&s->open, word);
	n -= own && *own == version_pack(v);
	own = map_get(&s->left, key);
	n -= own ? *own : 0;
	own = map_get(&s->tail, key);
	n -= own ? *own : 0;
	return n != 0;
}

/* ---- tails ---- */

/* What is there and not settled, behind the scanning cursor. */
static void tail_read(struct merge *m, struct merge_stream *s)
{
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

			++*map_put(&s->tail, key, NULL);
			may_come(m, key, 1);
		}
	}
	s->upto = c.tseq;
	queue_add(&s->ends, events);
	decode_item_release(&item);
	decode_cursor_release(&c);
}

static void tail_renew(struct merge *m, struct merge_thread *t)
{
	struct merge_stream *s = &t->stream;

	keys_clear(m, &s->tail);
	stream_settled(m, s);
	s->upto = s->scan.tseq;
	if (s->over || !s->scan.chunk)
		return;
	if (s->scan.chunk->head.closed)
		queue_add(&s->ends, s->nscanned_events);
	else
		tail_read(m, s);
}

/* ---- how far to scan ---- */

bool merge_follow_has_more(const struct merge *m)
{
	const struct merge_follow *f = &m->follow;

	return f->short_of ? f->looked : f->end || m->next_cut < f->cuts;
}

void merge_follow_load(struct merge *m)
{
	struct merge_follow *f = &m->follow;

	f->looked = false;
	if (f->short_of)
		return; /* to the same cut once more */
	for (uint32_t i = 0; i < m->n; i++)
		m->threads[i]->stream.limit = m->threads[i]->stream.load;
	f->by_look = m->next_cut >= f->cuts;
	if (f->by_look)
		f->end = false;
	merge_load(m, f->by_look);
}

void merge_follow_reached(struct merge *m)
{
	struct merge_follow *f = &m->follow;

	f->short_of = false;
	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];
		struct merge_stream *s = &t->stream;

		if (t->state == MERGE_DONE)
			continue;
		if (f->by_look) {
			tail_renew(m, t);
			s->load = s->scan.tseq;
		} else if (!s->over && merge_stream_is_short(s)) {
			/* It has come to the end of what is there, or of what is settled. */
			tail_renew(m, t);
			f->short_of |= s->upto < s->load;
		} else {
			keys_clear(m, &s->tail);
		}
	}
}

/* ---- looks ---- */

void merge_follow(struct merge *m)
{
	m->follow.on = m->follow.was = true;
	m->damaged = false;
	for (uint32_t i = 0; i < m->n; i++)
		m->threads[i]->stream.follow = true;
	m->follow.cuts = m->control->cuts.n >= BEHIND_CUTS ? m->control->cuts.n : 0;
	m->follow.end = m->follow.cuts == 0;
	if (m->follow.end)
		m->next_cut = m->control->cuts.n;
}

static void follow_fail(struct merge *m, enum status st, uint32_t tid, const char *why)
{
	diag_set(&m->why, "the recording cannot be followed: %s (T%u)", why, tid);
	m->error = st;
}

/* --keep, or an observer short of room, has dropped what was not read yet. */
static bool is_dropped(const struct merge_stream *s, const struct blocks_thread *src)
{
	uint32_t wanted = s->next_number;

	if (s->over)
		return false;
	if (s->scan.chunk && !s->scan.chunk->head.closed)
		wanted = s->scan.chunk->head.number;
	return !src || src->first > wanted;
}

static void thread_grow(struct merge *m, struct merge_thread *t, bool last, bool ended)
{
	struct merge_stream *s = &t->stream;
	const struct blocks_thread *src = blocks_thread(m->blocks, t->gone.tid);

	if (is_dropped(s, src)) {
		s->src = &t->gone;
		follow_fail(m, ST_BAD_INPUT, t->gone.tid,
			    "what comes next was dropped before it was read");
		return;
	}
	merge_stream_grow(s, src ? src : &t->gone, last, ended);
	m->damaged |= s->damaged;
}

static uint64_t held(const struct merge *m, uint32_t *most)
{
	uint64_t all = 0, first = 0;

	*most = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct merge_stream *s = &m->threads[i]->stream;
		uint64_t n = 0;

		for (const struct decode_chunk *c = s->emit.chunk; c; c = c->next)
			n += c->room > c->n ? c->room : c->n;
		all += n;
		if (n > first) {
			first = n;
			*most = s->src->tid;
		}
	}
	return all;
}

static void threads_find(struct merge *m, bool last)
{
	const struct blocks *b = m->blocks;

	for (size_t i = 0; i < b->threads.n; i++) {
		uint32_t tid = b->threads.at[i].tid;

		if (tid == FORMAT_CONTROL_TID || merge_find(m, tid) != MERGE_NOBODY)
			continue;
		merge_thread_new(m, i, 0, UINT64_MAX);
		m->threads[m->n - 1]->stream.follow = !last;
		if (b->threads.at[i].first > 0)
			follow_fail(m, ST_BAD_INPUT, tid,
				    "its first events were dropped before they were read");
	}
}

/* From here on as if all had been there from the start. */
static void follow_settle(struct merge *m)
{
	struct merge_follow *f = &m->follow;

	f->on = false;
	f->settled = true;
	m->damaged |= m->blocks->damaged || !m->control->ended || m->control->trouble;
	for (uint32_t i = 0; i < m->n; i++) {
		merge_follow_leave(m, m->threads[i]);
		/* Patience begins now: what they wait for may have been recorded only by now. */
		if (m->threads[i]->wait_since != UINT64_MAX)
			m->threads[i]->wait_since += m->window;
	}
	assert(f->open.n == 0);
	if (f->by_look)
		m->next_cut += SKIP_CUTS;
	if (m->next_cut > m->control->cuts.n)
		m->next_cut = m->control->cuts.n;
}

/* From cut to cut if there are several, else to the end of this look. */
static void follow_plan(struct merge *m)
{
	struct merge_follow *f = &m->follow;
	size_t next = m->next_cut + (f->by_look ? SKIP_CUTS : 0), n = m->control->cuts.n;

	if (f->short_of || m->next_cut < f->cuts)
		return;
	if (next + BEHIND_CUTS <= n) {
		m->next_cut = next;
		f->cuts = n;
	} else {
		m->next_cut = f->cuts = n;
		f->end = true;
	}
}

void merge_follow_look(struct merge *m, bool last)
{
	bool ended = m->control->ended && !m->control->trouble;
	uint32_t most;

	if (m->error != ST_OK || !m->follow.on)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		thread_grow(m, m->threads[i], last, ended);
	threads_find(m, last);
	m->follow.looked = true;
	if (m->error == ST_OK && (held(m, &most) > HELD_MAX || m->reads.count.n > READS_MAX))
		follow_fail(m, ST_LIMIT, most, "too much waits for a thread that does not go on");
	if (m->error != ST_OK)
		return;
	if (last) {
		follow_settle(m);
		return;
	}
	follow_plan(m);
}

/* ---- yielding ---- */

static void gone_add(struct merge *m, uint64_t key)
{
	struct merge_follow *f = &m->follow;

	if (f->gone[1].n == GONE_MAX) {
		map_release(&f->gone[0]);
		f->gone[0] = f->gone[1];
		map_init(&f->gone[1]);
	}
	map_put(&f->gone[1], key, NULL);
}

static bool is_gone(const struct merge *m, uint64_t key)
{
	return map_get(&m->follow.gone[0], key) || map_get(&m->follow.gone[1], key);
}

void merge_follow_emitted(struct merge *m, struct merge_thread *t, uint32_t from, uint32_t to,
			  struct event *e)
{
	const struct decode_item *item = &t->item;
	bool late = item->reads && item->numbers != 0 &&
		    queue_has(&t->stream.belated, t->stream.nfetched_events);

	for (uint32_t w = from; w < to && (item->reads || item->replaces); w++) {
		uint64_t key = merge_reads_key(item->e.refs[w], (item->e.addr >> 3) + w);

		if (e->op == EVENT_READ &&
		    ((late && is_gone(m, key)) || (item->reads && map_get(&m->follow.forced, key))))
			e->flags |= EVENT_UNKNOWN;
		if (item->replaces)
			gone_add(m, key);
	}
}

/* ---- knots ---- */

/* Is u to make a read of INIT that t waits for? */
static bool is_reader(const struct merge *m, const struct merge_thread *u,
		      const struct merge_thread *t)
{
	return u != t && u->state != MERGE_DONE &&
	       merge_reads_own(&m->reads, u->gone.tid, t->wait_key) != 0;
}

/* Of reads of INIT one is enough, for they all have to be made.  Of others nobody knows whose they
 * are. */
static bool waits_for(const struct merge *m, const struct merge_thread *u,
		      const struct merge_thread *t, unsigned depth)
{
	if (u == t)
		return true;
	if (depth == 0)
		return false;
	if (u->state == MERGE_EVENT) {
		uint32_t i = merge_find(m, u->wait_event.tid);

		assert(i != MERGE_NOBODY);
		return waits_for(m, m->threads[i], t, depth - 1);
	}
	if (u->state != MERGE_READS || u->unseen_reads || !merge_reads_is_init(u->wait_key))
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		if (is_reader(m, m->threads[i], u) && waits_for(m, m->threads[i], t, depth - 1))
			return true;
	return false;
}

bool merge_follow_is_knot(const struct merge *m, const struct merge_thread *t)
{
	if (t->unseen_reads)
		return false;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct merge_thread *u = m->threads[i];

		if (is_reader(m, u, t) && !waits_for(m, u, t, KNOT_DEPTH))
			return false;
	}
	return true;
}

void merge_follow_release(struct merge *m)
{
	map_release(&m->follow.open);
	map_release(&m->follow.gone[0]);
	map_release(&m->follow.gone[1]);
	map_release(&m->follow.forced);
}
