/*
 * The merging reader.
 *
 * The reference model: keep all events; again and again yield any event whose
 * predecessors by rules 1 to 4 have been yielded.  What makes it less simple:
 *
 * Memory.  Rule 3 needs to know the reads of a version before its
 * replacement is placed.  Cuts say how far ahead to look:
 *
 *	thread   ======emit=====>........scan.........>
 *	                     cut k              cut k+1, and a few more
 *
 * Each thread has two cursors over the same bytes.  The scanning one runs ahead to
 * cut k+1 and counts, in `reads', the reads of each version; the emitting one
 * yields events up to cut k and takes the reads out again.  Only raw chunks
 * between the two and the pending reads are held.
 *
 * Time.  A thread runs until its next event is blocked by one thing: an event
 * of another thread, or pending reads of one version.  It is then listed with
 * that thing and looked at again when the thing has changed.
 *
 * Versions and words.  An access that crosses two words is one version of
 * both, but a read of one half need not come before a replacement of the
 * other: pending reads are kept per version and word.
 */
#include "merge/merge.h"

#include "recording/control.h"
#include "merge/merge_priv.h"
#include "merge/portion.h"
#include "merge/walk.h"

/* ---- the queue ---- */

void merge_ready(struct merge *m, uint32_t i)
{
	m->threads[i]->state = MERGE_READY;
	m->threads[i]->next = MERGE_NOBODY;
	if (m->ready_first == MERGE_NOBODY)
		m->ready_first = i;
	else
		m->threads[m->ready_last]->next = i;
	m->ready_last = i;
}

static uint32_t ready_pop(struct merge *m)
{
	uint32_t i = m->ready_first;

	if (i != MERGE_NOBODY)
		m->ready_first = m->threads[i]->next;
	return i;
}

/* ---- waiting ---- */

uint32_t merge_find(const struct merge *m, uint32_t tid)
{
	return tid < m->ntids ? m->by_tid[tid] - 1 : MERGE_NOBODY;
}

static void wait_note(struct merge *m, struct merge_thread *t, enum merge_state state)
{
	if (t->wait_since == UINT64_MAX)
		t->wait_since = m->window;
	t->state = state;
}

static void wait_event(struct merge *m, uint32_t i, struct version v)
{
	struct merge_thread *t = m->threads[i], *u = m->threads[merge_find(m, v.tid)];

	wait_note(m, t, MERGE_EVENT);
	t->wait_event = v;
	t->next = u->waiters;
	if (u->waiters == MERGE_NOBODY || v.tseq < u->waiters_first)
		u->waiters_first = v.tseq;
	u->waiters = i;
}

static void wait_reads(struct merge *m, uint32_t i, uint64_t key)
{
	struct merge_thread *t = m->threads[i];
	uint64_t *first = map_put(&m->read_waiters, key, NULL);

	wait_note(m, t, MERGE_READS);
	t->wait_key = key;
	t->next = (uint32_t)*first - 1; /* 0: MERGE_NOBODY */
	*first = i + 1;
}

void merge_wake(struct merge *m, uint64_t key)
{
	uint64_t *first = map_get(&m->read_waiters, key);
	uint32_t i, next;

	if (!first)
		return;
	i = (uint32_t)*first - 1;
	map_remove(&m->read_waiters, key);
	for (; i != MERGE_NOBODY; i = next) {
		next = m->threads[i]->next;
		merge_ready(m, i);
	}
}

void merge_event_wake(struct merge *m, struct merge_thread *u)
{
	uint32_t i = u->waiters, next;

	if (i == MERGE_NOBODY || (u->emitted < u->waiters_first && u->state != MERGE_DONE))
		return;
	u->waiters = MERGE_NOBODY;
	for (; i != MERGE_NOBODY; i = next) {
		next = m->threads[i]->next;
		if (m->threads[i]->wait_event.tseq <= u->emitted || u->state == MERGE_DONE)
			merge_ready(m, i);
		else
			wait_event(m, i, m->threads[i]->wait_event);
	}
}

/* ---- placing events ---- */

void merge_reads_placed(struct merge *m, struct merge_thread *t, uint32_t from, uint32_t to)
{
	const struct decode_item *item = &t->item;

	for (uint32_t w = from; item->reads && w < to; w++) {
		uint64_t word = (item->e.addr >> 3) + w;

		merge_reads_remove(&m->reads, &t->stream, item->e.refs[w], word);
		if (m->read_waiters.n != 0)
			merge_wake(m, merge_reads_key(item->e.refs[w], word));
	}
}

static bool version_is_out(const struct merge *m, struct version v)
{
	uint32_t i = merge_find(m, v.tid);

	return i == MERGE_NOBODY ? merge_past_has(m, v) : m->threads[i]->emitted >= v.tseq;
}

static bool version_is_lost(const struct merge *m, struct version v)
{
	uint32_t i = merge_find(m, v.tid);

	return i == MERGE_NOBODY ||
	       (m->threads[i]->state == MERGE_DONE && m->threads[i]->emitted < v.tseq);
}

/* Makes thread i wait for v, or ends it if v is lost.  False: v has been placed already. */
static bool version_blocks(struct merge *m, uint32_t i, struct version v)
{
	if (v.tid == 0 || version_is_out(m, v))
		return false;
	if (m->mode->grows && merge_find(m, v.tid) == MERGE_NOBODY)
		m->threads[i]->state = MERGE_LIMIT; /* it had not begun when its slot was read */
	else if (version_is_lost(m, v))
		merge_thread_stop(m, m->threads[i], v);
	else
		wait_event(m, i, v);
	return true;
}

/*
 * How far the item of thread i can be placed: the word to stop before; its
 * `word' when it is blocked or has been stopped, and then its state says so.
 */
static uint32_t words_ready(struct merge *m, uint32_t i)
{
	struct merge_thread *t = m->threads[i];
	const struct decode_item *item = &t->item;
	uint32_t w = t->clear;

	for (uint32_t k = 0; w == 0 && k < item->nbefore; k++)
		if (version_blocks(m, i, item->before[k]))
			return t->word;
	for (; w < item->e.nrefs; w++) {
		struct version v = item->e.refs[w];
		uint64_t word = (item->e.addr >> 3) + w;
		bool piece = item->divisible && w > t->word;

		if (v.tid != 0 && v.tid != t->stream.src->tid && !version_is_out(m, v)) {
			if (!piece)
				version_blocks(m, i, v);
			break;
		}
		t->unseen_reads =
			m->mode->withholds && item->replaces && m->mode->withholds(m, t, v, word);
		if (t->unseen_reads || (item->replaces && !t->force &&
					merge_reads_block(&m->reads, &t->stream, v, word))) {
			if (!piece)
				wait_reads(m, i, merge_reads_key(v, word));
			break;
		}
		t->force = false;
	}
	t->clear = w;
	return w == item->e.nrefs || item->divisible ? w : t->word;
}

/* Words [t->word, to) of the item, as an event of its own. */
static void piece_cut(const struct merge_thread *t, uint32_t to, struct event *e)
{
	uint64_t base = t->item.e.addr >> 3, end = e->addr + e->len;

	if (to < e->nrefs)
		end = (base + to) << 3;
	if (t->word > 0) {
		uint64_t from = (base + t->word) << 3;

		if (e->value)
			e->value += from - e->addr;
		e->addr = from;
		e->flags |= EVENT_PART;
		e->stayed = e->depth;
	}
	e->len = end - e->addr;
	e->refs += t->word;
	e->nrefs = to - t->word;
	e->tseq += t->word;
}

static void label_take(struct merge_thread *t)
{
	struct decode_cursor *c = &t->stream.emit;

	if (!c->name)
		return;
	mem_free(t->label);
	t->label = mem_text(c->name, c->nname);
	c->name = NULL;
}

static void item_emit(struct merge *m, struct merge_thread *t, uint32_t to, struct event *e)
{
	*e = t->item.e;
	if (t->item.divisible)
		piece_cut(t, to, e);
	if (t->item.numbers != 0)
		t->emitted = e->flags & EVENT_RANGE ? t->item.e.tseq + to - 1 : e->tseq;
	merge_reads_placed(m, t, t->word, to);
	if (m->mode->placed)
		m->mode->placed(m, t, e);
	if (e->op == EVENT_THREAD_BEGIN)
		merge_reads_own_stack(&m->reads, t->stream.src->tid, e->addr, e->len);
	merge_event_wake(m, t);
	t->wait_since = UINT64_MAX;
	t->word = to;
	t->has_item = to < t->item.e.nrefs;
}

/* Its next event comes after the end that was asked for. */
static bool thread_is_out(const struct merge *m, const struct merge_thread *t)
{
	if (!m->mode->yields)
		return false;
	if (t->has_item)
		return t->item.numbers != 0 && t->item.e.tseq + t->word > t->stream.end;
	return t->stream.emit.tseq >= t->stream.end;
}

/* Gives the running thread its next event; false: it has to wait. */
static bool item_fetch(struct merge *m, struct merge_thread *t)
{
	if (thread_is_out(m, t)) {
		merge_thread_cut(m, t);
		return false;
	}
	if (t->has_item) {
		/* A range that the past has begun, beyond its cut: the rest of its words must wait
		 * until all reads that may come before them have been scanned. */
		if (!m->mode->yields || t->item.e.tseq <= t->stream.limit)
			return true;
		t->state = MERGE_LIMIT;
		return false;
	}
	if (!merge_stream_is_open(&t->stream)) {
		if (merge_stream_is_end(&t->stream))
			merge_thread_end(m, t);
		else
			t->state = MERGE_LIMIT;
		return false;
	}
	merge_stream_fetch(&t->stream, &t->item);
	label_take(t);
	t->has_item = true;
	t->word = t->clear = 0;
	return true;
}

/* The next of the events that stand for the past. */
static bool prologue_next(struct merge *m, struct event *e)
{
	if (!m->mode->yields || m->prologue == m->past.prologue.events.n)
		return false;
	*e = m->past.prologue.events.at[m->prologue++];
	return true;
}

/* Lets the running thread go on, or finds another one.  False: no event was placed. */
static bool event_place(struct merge *m, struct event *e)
{
	struct merge_thread *t = m->threads[m->running];
	bool fetched = item_fetch(m, t);
	uint32_t to = fetched ? words_ready(m, m->running) : 0;

	if (!fetched || t->state != MERGE_READY)
		m->running = MERGE_NOBODY;
	if (m->running == MERGE_NOBODY || m->error != ST_OK)
		return false;
	item_emit(m, t, to, e);
	return m->mode->yields;
}

enum status merge_next(struct merge *m, struct event *e, struct diag *d)
{
	while (m->error == ST_OK && !m->stopped) {
		if (prologue_next(m, e)) {
			e->pos = ++m->pos;
			return ST_OK;
		}
		if (m->running == MERGE_NOBODY)
			m->running = ready_pop(m);
		if (m->running == MERGE_NOBODY) {
			enum status st = m->mode->advance(m);

			if (st != ST_OK)
				return st;
		} else if (event_place(m, e)) {
			e->pos = ++m->pos;
			return ST_OK;
		}
	}
	if (m->error == ST_OK)
		return ST_END;
	diag_set(d, "%s", m->why.message);
	return m->error;
}

/* ---- life ---- */

/* Chunks before the first that is read may tell the thread's name and stack. */
static void thread_root(struct merge *m, struct merge_thread *t)
{
	struct merge_stream *s = &t->stream;
	struct walk_root r;

	t->past.rooted = false;
	if (!walk_root(m->blocks, s->src, &r))
		return;
	t->label = r.name;
	t->past.rooted = r.rooted;
	s->stack_low = r.low;
	s->stack_high = r.low + r.len;
	merge_reads_own_stack(&m->reads, s->src->tid, r.low, r.len);
}

static void tids_reach(struct merge *m, uint32_t tid)
{
	uint32_t n = m->ntids > tid / 2 ? m->ntids * 2 : tid + 1;

	if (tid < m->ntids)
		return;
	m->by_tid = mem_resize(m->by_tid, n * sizeof(*m->by_tid));
	memset(m->by_tid + m->ntids, 0, (n - m->ntids) * sizeof(*m->by_tid));
	m->ntids = n;
}

void merge_thread_new(struct merge *m, const struct blocks_thread *src, uint32_t chunk,
		      uint64_t end)
{
	struct merge_thread *t = mem_zalloc(sizeof(*t));
	bool ended = m->control->ended && !m->control->trouble;

	m->threads = mem_resize(m->threads, (m->n + 1) * sizeof(*m->threads));
	m->threads[m->n] = t;
	tids_reach(m, src->tid);
	merge_stream_init(&t->stream, m->blocks, src, m->stacks, ended, m->notes);
	merge_stream_start(&t->stream, chunk, end);
	t->past.rooted = true; /* its own events will say if not, when all of them are read */
	if (chunk != 0)
		thread_root(m, t);
	t->gone.tid = src->tid;
	t->emitted = t->past.upto = t->stream.emit.tseq;
	t->state = MERGE_LIMIT;
	t->next = t->waiters = MERGE_NOBODY;
	t->wait_since = UINT64_MAX;
	m->by_tid[t->stream.src->tid] = ++m->n;
}

struct merge *merge_new(struct blocks *b, const struct control *c, const struct portion *portion,
			struct stacks *s, struct texts *notes)
{
	struct merge *m = mem_zalloc(sizeof(*m));
	bool ended = c->ended && !c->trouble;

	m->notes = notes;
	m->blocks = b;
	m->stacks = s;
	m->portion = portion;
	m->running = m->ready_first = m->ready_last = MERGE_NOBODY;
	m->damaged = b->damaged || !ended;
	m->control = c;
	if (b->threads.n != 0)
		tids_reach(m, b->threads.at[b->threads.n - 1].tid);
	for (size_t i = 0; i < b->threads.n; i++)
		if (b->threads.at[i].tid != FORMAT_CONTROL_TID)
			merge_thread_new(m, &b->threads.at[i], portion->at.at[i].chunk,
					 portion->at.at[i].end);
	m->mode = portion->cut ? &merge_mode_past : &merge_mode_whole;
	if (portion->cut)
		merge_past_begin(m);
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n; i++) {
		merge_stream_release(&m->threads[i]->stream);
		merge_repeats_release(&m->threads[i]->repeats);
		decode_item_release(&m->threads[i]->item);
		MEM_FREE_ALL(m->threads[i]->label, m->threads[i]);
	}
	decode_item_release(&m->scanned);
	merge_reads_release(&m->reads);
	MAP_RELEASE_ALL(&m->read_waiters, &m->forced);
	merge_past_release(m);
	MAP_RELEASE_ALL(&m->follow.open, &m->follow.gone[0], &m->follow.gone[1]);
	MEM_FREE_ALL(m->threads, m->by_tid, m);
}

bool merge_is_damaged(const struct merge *m)
{
	return m->damaged;
}

uint64_t merge_bytes(const struct merge *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += m->threads[i]->stream.bytes;
	return n;
}

void merge_keep_inputs(struct merge *m, struct inputs *to)
{
	for (uint32_t i = 0; i < m->n; i++)
		m->threads[i]->stream.emit.inputs = to;
}

const char *merge_label(const struct merge *m, uint32_t tid)
{
	uint32_t i = merge_find(m, tid);

	return i == MERGE_NOBODY ? NULL : m->threads[i]->label;
}
