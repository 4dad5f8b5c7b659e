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
 * other: pending reads are kept per version and word, for which the parity of
 * the word is enough.
 *
 * INIT comes back.  The recorder forgets the words of large blocks and of
 * stacks when they are reused, so a word may be INIT several times in a run,
 * and a later INIT read must not hold up an earlier replacement of INIT.
 * Three rules keep them apart: a thread's own later reads do not block it;
 * reads of a thread's own stack block only while that thread owns the stack;
 * and whoever is still blocked by a read of INIT at the end, or INIT_PATIENCE cuts
 * later, when what really came before has long been yielded, goes on.
 */
#include "merge/merge.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "recording/blocks.h"
#include "recording/control.h"
#include "recording/decode.h"
#include "merge/late.h"
#include "merge/merge_priv.h"
#include "trace/notes.h"

#define INIT_PATIENCE 16

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

/* Wakes those whose event has come; at the end of u, all: they will find out. */
static void event_wake(struct merge *m, struct merge_thread *u)
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

/* ---- scanning ahead ---- */

static void item_reads(struct merge *m, struct merge_thread *t, const struct decode_item *item,
		       uint32_t from, uint32_t to, bool add)
{
	for (uint32_t w = from; item->reads && w < to; w++) {
		uint64_t word = (item->e.addr >> 3) + w;

		if (add) {
			merge_reads_add(&m->reads, &t->stream, item->e.refs[w], word);
			continue;
		}
		merge_reads_remove(&m->reads, &t->stream, item->e.refs[w], word);
		if (m->read_waiters.n != 0)
			merge_wake(m, merge_reads_key(item->e.refs[w], word));
	}
}

static enum status threads_scan(struct merge *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];

		while (t->state != MERGE_DONE && merge_stream_is_short(&t->stream) &&
		       merge_stream_scan(&t->stream, &m->scanned)) {
			item_reads(m, t, &m->scanned, 0, m->scanned.e.nrefs, true);
			if (m->follow.was)
				merge_follow_scanned(m, t, &m->scanned);
		}
		m->damaged = m->damaged || t->stream.damaged;
		if (merge_reads_count(&m->reads) > MERGE_READS_MAX) {
			diag_set(&m->why,
				 "more than %u reads between two cuts near event %llu of T%u: "
				 "the recording has too few cuts to be read in bounded memory",
				 MERGE_READS_MAX, (unsigned long long)t->stream.scan.tseq,
				 t->stream.src->tid);
			return ST_LIMIT;
		}
	}
	return ST_OK;
}

void merge_load(struct merge *m, bool to_end)
{
	const struct control *c = m->control;
	uint64_t from, to;

	for (uint32_t i = 0; to_end && i < m->n; i++)
		merge_stream_load(&m->threads[i]->stream, UINT64_MAX);
	if (to_end)
		return;
	from = c->cuts.at[m->next_cut++];
	to = m->next_cut < c->cuts.n ? c->cuts.at[m->next_cut] : c->pairs.n;
	for (; from < to; from++) {
		uint32_t i = merge_find(m, c->pairs.at[from].tid);

		if (i != MERGE_NOBODY)
			merge_stream_load(&m->threads[i]->stream, c->pairs.at[from].tseq);
	}
}

/* How far to scan: to the next cut, or after the last to the end. */
static void cut_load(struct merge *m)
{
	m->all_scanned = m->next_cut == m->control->cuts.n;
	merge_load(m, m->all_scanned);
}

static enum status window_advance(struct merge *m)
{
	enum status st;

	m->window++;
	if (m->follow.on) {
		merge_follow_load(m);
	} else {
		for (uint32_t i = 0; i < m->n; i++)
			m->threads[i]->stream.limit = m->threads[i]->stream.load;
		m->last_window = m->all_scanned;
		cut_load(m);
	}
	st = threads_scan(m);
	if (m->follow.on)
		merge_follow_reached(m);
	for (uint32_t i = 0; i < m->n; i++)
		if (m->threads[i]->state == MERGE_LIMIT)
			merge_ready(m, i);
	return st;
}

/* ---- threads that cannot go on ---- */

static void thread_end(struct merge *m, struct merge_thread *t)
{
	t->state = MERGE_DONE;
	m->ndone++;
	merge_follow_leave(m, t);
	merge_stream_release(&t->stream);
	decode_item_release(&t->item);
	t->has_item = false;
	event_wake(m, t);
}

/* Drops all that t has left.  Returns how many events. */
static uint64_t thread_drain(struct merge *m, struct merge_thread *t)
{
	uint64_t n = 0;

	if (t->has_item) {
		n = t->item.numbers - t->word;
		item_reads(m, t, &t->item, t->word, t->item.e.nrefs, false);
	}
	while (merge_stream_is_scanned(&t->stream)) {
		merge_stream_fetch(&t->stream, &t->item);
		item_reads(m, t, &t->item, 0, t->item.e.nrefs, false);
		n += t->item.numbers;
	}
	while (merge_stream_scan(&t->stream, &m->scanned))
		n += m->scanned.numbers;
	return n;
}

/* To an observer's copy some may not have been sent.  A thread of which nothing is there was dropped as
 * a whole before the first cut was made (--keep), or lay behind the end of a file that was cut. */
static bool may_be_lost(const struct merge *m, struct version v)
{
	return (m->blocks->head.flags & FORMAT_COPY) || merge_find(m, v.tid) == MERGE_NOBODY;
}

/* t names v, which will never come. */
static void thread_stop(struct merge *m, struct merge_thread *t, struct version v)
{
	unsigned long long at = t->item.e.tseq + t->word;
	uint32_t tid = t->stream.src->tid;
	uint64_t dropped;

	if (m->ends) { /* by request: what is named came after the end */
		thread_drain(m, t);
		thread_end(m, t);
		return;
	}
	if (!m->damaged && !may_be_lost(m, v)) {
		diag_set(&m->why,
			 "contradiction: event %llu of T%u names event %llu of T%u, "
			 "which is not in the recording",
			 at, tid, (unsigned long long)v.tseq, v.tid);
		m->error = ST_BAD_INPUT;
		return;
	}
	m->damaged = true;
	dropped = thread_drain(m, t);
	notes_add(m->notes,
		  "T%u ends before its event %llu, which needs the lost event %llu of T%u; "
		  "%llu of its events are not used",
		  tid, at, (unsigned long long)v.tseq, v.tid, (unsigned long long)dropped);
	thread_end(m, t);
}

/* Nobody can go on and nothing is left to load. */
static void threads_stuck(struct merge *m)
{
	const struct merge_thread *t = NULL;
	unsigned long long at;

	for (uint32_t i = 0; i < m->n && !t; i++)
		if (m->threads[i]->state != MERGE_DONE)
			t = m->threads[i];
	assert(t);
	at = t->item.e.tseq + t->word;
	m->stopped = true;
	if (m->damaged) {
		notes_add(m->notes,
			  "event %llu of T%u and others wait for one another; "
			  "nothing after them is used",
			  at, t->stream.src->tid);
		return;
	}
	diag_set(&m->why, "contradiction: event %llu of T%u comes after itself (%s)", at,
		 t->stream.src->tid,
		 t->state == MERGE_EVENT ? "by the events it names"
					 : "by reads of what it replaces");
	m->error = ST_BAD_INPUT;
}

/*
 * Lets a thread go that only reads of a later INIT can be holding up.  The
 * one that has waited longest, for it is the likeliest to be first.
 */
bool merge_relax(struct merge *m, bool now)
{
	struct merge_thread *best = NULL;

	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];

		if (t->state == MERGE_READS && merge_reads_is_init(t->wait_key) &&
		    (m->follow.on ? merge_follow_is_knot(m, t)
				  : now || t->wait_since + INIT_PATIENCE <= m->window) &&
		    (!best || t->wait_since < best->wait_since))
			best = t;
	}
	if (!best)
		return false;
	best->force = true;
	if (m->follow.was)
		map_put(&m->follow.forced, best->wait_key, NULL);
	merge_wake(m, best->wait_key);
	return true;
}

/* ---- placing events ---- */

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

/* Blocks or stops thread i until v is out.  False: it is out. */
static bool version_blocks(struct merge *m, uint32_t i, struct version v)
{
	if (v.tid == 0 || version_is_out(m, v))
		return false;
	if (m->follow.on && merge_find(m, v.tid) == MERGE_NOBODY)
		m->threads[i]->state = MERGE_LIMIT; /* it had not begun when its slot was read */
	else if (version_is_lost(m, v))
		thread_stop(m, m->threads[i], v);
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
			m->follow.on && item->replaces && merge_follow_blocks(m, t, v, word);
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
	t->label = mem_alloc((size_t)c->nname + 1);
	memcpy(t->label, c->name, c->nname);
	t->label[c->nname] = 0;
	c->name = NULL;
}

static void item_emit(struct merge *m, struct merge_thread *t, uint32_t to, struct event *e)
{
	*e = t->item.e;
	e->pos = m->past.phase == MERGE_PRESENT ? ++m->pos : 0;
	if (t->item.divisible)
		piece_cut(t, to, e);
	if (t->item.numbers != 0)
		t->emitted = e->flags & EVENT_RANGE ? t->item.e.tseq + to - 1 : e->tseq;
	item_reads(m, t, &t->item, t->word, to, false);
	if (m->past.phase == MERGE_PRESENT && m->base->cut != 0)
		merge_past_translate(m, e);
	if (m->follow.was)
		merge_follow_emitted(m, t, t->word, to, e);
	if (e->op == EVENT_THREAD_BEGIN)
		merge_reads_own_stack(&m->reads, t->stream.src->tid, e->addr, e->len);
	event_wake(m, t);
	t->wait_since = UINT64_MAX;
	t->word = to;
	t->has_item = to < t->item.e.nrefs;
}

/* Its next event comes after the end that was asked for. */
static bool thread_is_out(const struct merge *m, const struct merge_thread *t)
{
	if (m->past.phase != MERGE_PRESENT)
		return false;
	if (t->has_item)
		return t->item.numbers != 0 && t->item.e.tseq + t->word > t->stream.end;
	return t->stream.emit.tseq >= t->stream.end;
}

/* Gives the running thread its next event; false: it has to wait. */
static bool item_fetch(struct merge *m, struct merge_thread *t)
{
	if (thread_is_out(m, t)) {
		thread_drain(m, t);
		thread_end(m, t);
		return false;
	}
	if (t->has_item) {
		/* What the past began past its cut (a range, of which some words are left) waits
		 * until the reads that may come before the rest have been scanned. */
		if (m->past.phase != MERGE_PRESENT || t->item.e.tseq <= t->stream.limit)
			return true;
		t->state = MERGE_LIMIT;
		return false;
	}
	if (!merge_stream_is_open(&t->stream)) {
		if (merge_stream_is_end(&t->stream))
			thread_end(m, t);
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

/* Nobody can run.  False: nor will anybody, unless there comes more. */
static bool merge_go_on(struct merge *m)
{
	if (m->ndone == m->n && m->past.phase == MERGE_PRESENT && !m->follow.on)
		return false;
	if (merge_past_go_on(m) || merge_relax(m, m->last_window))
		return true;
	if (m->follow.on && !merge_follow_has_more(m))
		return false;
	if (!m->last_window)
		m->error = window_advance(m);
	else
		threads_stuck(m);
	return true;
}

enum status merge_next(struct merge *m, struct event *e, struct diag *d)
{
	while (m->error == ST_OK && !m->stopped) {
		struct merge_thread *t;
		uint32_t to;

		if (merge_past_start(m, e)) {
			e->pos = ++m->pos;
			return ST_OK;
		}
		if (m->follow.settled) {
			m->follow.settled = false;
			m->error = window_advance(m);
			continue;
		}
		if (m->running == MERGE_NOBODY)
			m->running = ready_pop(m);
		if (m->running == MERGE_NOBODY) {
			if (!merge_go_on(m))
				return m->follow.on ? ST_AGAIN : ST_END;
			continue;
		}
		t = m->threads[m->running];
		if (!item_fetch(m, t)) {
			m->running = MERGE_NOBODY;
			continue;
		}
		to = words_ready(m, m->running);
		if (t->state != MERGE_READY) {
			m->running = MERGE_NOBODY;
			continue;
		}
		if (m->error != ST_OK)
			break;
		item_emit(m, t, to, e);
		if (m->past.phase == MERGE_PRESENT)
			return ST_OK;
		merge_past_swallow(m, t, e);
	}
	if (m->error == ST_OK)
		return ST_END;
	diag_set(d, "%s", m->why.message);
	return m->error;
}

/* ---- life ---- */

/* What the chunks before have told, if they are still there. */
static void thread_root(struct merge *m, struct merge_thread *t)
{
	struct merge_stream *s = &t->stream;
	struct late_root r;

	t->rooted = false;
	if (!late_root(m->blocks, s->src, &r))
		return;
	t->label = r.name;
	t->rooted = r.rooted;
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

void merge_thread_new(struct merge *m, size_t place, uint32_t chunk, uint64_t end)
{
	struct merge_thread *t = mem_zalloc(sizeof(*t));
	const struct blocks_thread *src = &m->blocks->threads.at[place];
	bool ended = m->control->ended && !m->control->trouble;

	m->threads = mem_resize(m->threads, (m->n + 1) * sizeof(*m->threads));
	m->threads[m->n] = t;
	tids_reach(m, src->tid);
	merge_stream_init(&t->stream, m->blocks, src, m->stacks, ended, m->notes);
	merge_stream_start(&t->stream, chunk, end);
	t->rooted = true; /* else its events will say so, if they are all read */
	if (chunk != 0)
		thread_root(m, t);
	t->gone.tid = src->tid;
	t->emitted = t->past = t->stream.emit.tseq;
	t->state = MERGE_LIMIT;
	t->next = t->waiters = MERGE_NOBODY;
	t->wait_since = UINT64_MAX;
	m->by_tid[t->stream.src->tid] = ++m->n;
}

struct merge *merge_new(struct blocks *b, const struct control *c, const struct late_base *base,
			struct stacks *s, struct notes *notes)
{
	struct merge *m = mem_zalloc(sizeof(*m));
	bool ended = c->ended && !c->trouble;

	m->notes = notes;
	m->blocks = b;
	m->stacks = s;
	m->base = base;
	m->ends = base->ends;
	m->running = m->ready_first = m->ready_last = MERGE_NOBODY;
	m->damaged = b->damaged || !ended;
	merge_reads_init(&m->reads);
	map_init(&m->read_waiters);
	m->control = c;
	if (b->threads.n != 0)
		tids_reach(m, b->threads.at[b->threads.n - 1].tid);
	for (size_t i = 0; i < b->threads.n; i++)
		if (b->threads.at[i].tid != FORMAT_CONTROL_TID)
			merge_thread_new(m, i, base->at.at[i].chunk, base->at.at[i].end);
	m->past.phase = base->cut ? MERGE_PAST : MERGE_PRESENT;
	merge_past_begin(m);
	/* The first window then ends at that cut. */
	for (uint64_t k = 0; k < base->cut && !m->all_scanned; k++)
		cut_load(m);
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n; i++) {
		merge_stream_release(&m->threads[i]->stream);
		decode_item_release(&m->threads[i]->item);
		mem_free(m->threads[i]->label);
		mem_free(m->threads[i]);
	}
	decode_item_release(&m->scanned);
	merge_reads_release(&m->reads);
	map_release(&m->read_waiters);
	merge_past_release(m);
	merge_follow_release(m);
	mem_free(m->threads);
	mem_free(m->by_tid);
	mem_free(m);
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

const char *merge_label(const struct merge *m, uint32_t tid)
{
	uint32_t i = merge_find(m, tid);

	return i == MERGE_NOBODY ? NULL : m->threads[i]->label;
}
