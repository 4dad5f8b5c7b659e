/*
 * Merging while the recording grows.
 *
 * The reference model: read the file again from the start whenever it has grown, and yield the
 * events that were not yielded before.  That is no run: what rule 3 puts before an event may turn up
 * after the event was yielded.  So an event is yielded only when all that may have to come before it
 * is known, and nothing is ever read twice.
 *
 *	thread   ======emit=====>....scan....>~~~~tail~~~~>
 *	                     look n          settled       look n + 1
 *
 * How far to scan.  Cuts are too far apart (megabytes) to wait for, so looks take their place:
 * whatever was done before a look ended is in the file when the next look begins, except for
 * records that threads were just about to write.  So events found by one look are yielded after the
 * next.  A reader that is several cuts behind goes from cut to cut instead, which bounds its
 * memory.  The first two cuts after a look cannot be used, because they may have been begun before
 * that look ended; no look takes longer than two cuts.
 *
 * About to be recorded.  A thread may read, and then be kept from writing the record for longer than
 * the time between two looks.  By then the replacement of what it read has been yielded, so the read
 * comes too late.  Such a read is among the first MERGE_EXTRA records behind what a look had found.
 * If one of these reads a version that was replaced (the last GONE_MAX replacements are remembered),
 * it is marked EVENT_UNKNOWN: no analysis follows its thread further.  A read that is delayed even
 * more goes unnoticed, so a follower's findings need another proof (live/live_property.c).
 *
 * INIT.  A read of INIT may belong to this life of its word or to a later one
 * (merge_window.c).  Waiting a number of cuts, as for a whole recording, would be a guess here,
 * because a thread can be held up for long.  So a thread that waits for reads of INIT goes on when
 * all threads that will make them wait for it; of several that wait for one another so, the first
 * does.  That may be the wrong one, so reads of INIT of that word are unknown from then on.
 */

#include "recording/control.h"
#include "merge/merge.h"
#include "merge/merge_priv.h"

#define GONE_MAX (1u << 18)
#define SKIP_CUTS 2
#define BEHIND_CUTS 2 /* with so many cuts ahead they are used instead of looks */
/* Bytes and reads that may wait for one thread. */
#define HELD_MAX (UINT64_C(512) << 20)
#define READS_MAX (8u << 20)
#define KNOT_DEPTH 8 /* threads in a circle of waiting */

/* ---- how far to scan ---- */

static bool has_more(const struct merge *m)
{
	const struct merge_follow *f = &m->follow;

	return f->short_of ? f->looked : f->end || m->next_cut < f->cuts;
}

static void growing_load(struct merge *m)
{
	struct merge_follow *f = &m->follow;

	f->looked = false;
	if (f->short_of)
		return; /* to the same cut once more */
	merge_limit(m);
	f->by_look = m->next_cut >= f->cuts;
	if (f->by_look)
		f->end = false;
	merge_load(m, f->by_look);
}

static void growing_reached(struct merge *m)
{
	struct merge_follow *f = &m->follow;

	f->short_of = false;
	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];
		struct merge_stream *s = &t->stream;

		if (t->state == MERGE_DONE)
			continue;
		if (f->by_look) {
			merge_tail_renew(m, t);
			s->load = s->scan.tseq;
		} else if (!s->over && merge_stream_is_short(s)) {
			/* It has come to the end of what is there, or of what is settled. */
			merge_tail_renew(m, t);
			f->short_of |= t->repeats.upto < s->load;
		} else {
			merge_tail_clear(m, t);
		}
	}
}

static enum status growing_advance(struct merge *m)
{
	if (merge_relax(m))
		return ST_OK;
	if (!has_more(m))
		return ST_AGAIN;
	merge_advance(m);
	return ST_OK;
}

/* ---- looks ---- */

static void thread_follow(struct merge_thread *t, bool more)
{
	t->stream.follow = more;
	merge_repeats_init(&t->repeats);
}

void merge_follow(struct merge *m)
{
	m->mode = &merge_mode_growing;
	m->damaged = false;
	for (uint32_t i = 0; i < m->n; i++)
		thread_follow(m->threads[i], true);
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
		merge_thread_new(m, &b->threads.at[i], 0, UINT64_MAX);
		thread_follow(m->threads[m->n - 1], !last);
		if (b->threads.at[i].first > 0)
			follow_fail(m, ST_BAD_INPUT, tid,
				    "its first events were dropped before they were read");
	}
}

/* From here on as if all had been there from the start. */
static void follow_settle(struct merge *m)
{
	struct merge_follow *f = &m->follow;

	m->mode = &merge_mode_grown;
	m->damaged |= m->blocks->damaged || !m->control->ended || m->control->trouble;
	for (uint32_t i = 0; i < m->n; i++) {
		merge_repeats_end(m, m->threads[i]);
		/* Patience begins now: what they wait for may have been recorded only by now. */
		if (m->threads[i]->wait_since != UINT64_MAX)
			m->threads[i]->wait_since += m->window;
	}
	assert(f->open.n == 0);
	if (f->by_look)
		m->next_cut += SKIP_CUTS;
	if (m->next_cut > m->control->cuts.n)
		m->next_cut = m->control->cuts.n;
	merge_advance(m); /* all that is there now, before anybody goes on */
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

	if (m->error != ST_OK || m->mode != &merge_mode_growing)
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
		f->gone[1] = (struct map){ 0 };
	}
	map_put(&f->gone[1], key, NULL);
}

static bool is_gone(const struct merge *m, uint64_t key)
{
	return map_get(&m->follow.gone[0], key) || map_get(&m->follow.gone[1], key);
}

static void growing_placed(struct merge *m, struct merge_thread *t, struct event *e)
{
	const struct decode_item *item = &t->item;
	bool belated = item->reads && item->numbers != 0 && merge_belated_is(t);

	for (uint32_t i = 0; i < e->nrefs && (item->reads || item->replaces); i++) {
		uint64_t key = merge_reads_key(e->refs[i], (e->addr >> 3) + i);

		if (e->op == EVENT_READ &&
		    ((belated && is_gone(m, key)) || (item->reads && map_get(&m->forced, key))))
			e->flags |= EVENT_UNKNOWN;
		if (item->replaces)
			gone_add(m, key);
	}
}

/* ---- knots ---- */

/* Does t wait for a read of INIT that u will make? */
static bool is_reader(const struct merge *m, const struct merge_thread *u,
		      const struct merge_thread *t)
{
	return u != t && u->state != MERGE_DONE &&
	       merge_reads_own(&m->reads, u->gone.tid, t->wait_key) != 0;
}

/* Does u wait for t, maybe through others?  A thread that waits for reads of INIT waits for all their
 * readers, so one of these is enough.  Who will make other reads is not known. */
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

static bool is_knot(const struct merge *m, const struct merge_thread *t)
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

/* ---- modes ---- */

static void growing_scanned(struct merge *m, struct merge_thread *t, const struct decode_item *item)
{
	merge_belated_note(t, item);
	merge_repeats_scanned(m, t, item);
}

static void grown_scanned(struct merge *m, struct merge_thread *t, const struct decode_item *item)
{
	(void)m;
	merge_belated_note(t, item);
}

const struct merge_mode merge_mode_growing = {
	.yields = true,
	.grows = true,
	.scanned = growing_scanned,
	.withholds = merge_repeats_withhold,
	.placed = growing_placed,
	.done = merge_repeats_end,
	.overrules = is_knot,
	.load = growing_load,
	.reached = growing_reached,
	.advance = growing_advance,
};

const struct merge_mode merge_mode_grown = {
	.yields = true,
	.scanned = grown_scanned,
	.placed = growing_placed,
	.overrules = merge_whole_overrules,
	.load = merge_whole_load,
	.advance = merge_whole_advance,
};
