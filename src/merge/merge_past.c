/*
 * The past of a trace that begins in the middle.
 *
 * Let B be the time when cut k (portion.cut) was begun.  Chunks that are not read hold only what was
 * done before B (merge/portion.c).  Which other events before B that depended on cannot be known any
 * more, so everything done before B has to be past.  It lies in the events up to cut k and
 * MERGE_EXTRA records more.  The past is
 *
 *	P = what is not read, and every event up to there that can be placed after events of P alone.
 *
 * 1. All that was done before B is in P: what it names was done before it, and so by induction is
 *    placed; so were the reads that its placing has to wait for.
 * 2. P is closed under the order of each thread and under what its events name.  So P is the
 *    beginning of a run by itself, in which every event of P sees what it saw, and what follows in
 *    any reordering of the rest follows in a reordering of the whole run.  What is found in
 *    the rest is thus as sure as what is found in a whole trace.
 * 3. A read that is not in P and names a version that P has replaced cannot follow P.  Within the
 *    cut this does not happen, for the scan goes one cut further and finds all reads that came
 *    before.  Past it, and where reads of INIT were overruled, it may: `gone' has
 *    these versions, and a read of one is unknown: its thread can get there and no further.
 *
 * Events of P are read and swallowed.  Then come those that stand for what P has left behind
 * (merge/prologue.c), then the rest, in which P is named INIT.
 */

#include "recording/control.h"
#include "merge/merge_priv.h"
#include "merge/portion.h"
#include "recording/stacks.h"

bool merge_past_has(const struct merge *m, struct version v)
{
	uint32_t i = merge_find(m, v.tid);
	const uint64_t *last;

	if (i != MERGE_NOBODY)
		return v.tseq <= m->threads[i]->past.upto;
	last = map_get(&m->past.counted, v.tid);
	return (last && v.tseq <= *last) || m->portion->cut > m->control->cuts.n; /* all is past */
}

/*
 * A thread of which there is nothing was dropped, or lost, or had not begun when a growing file was
 * looked at: what others name of it may be from before B or not.  What the cut before has counted
 * was done before B.
 */
static void absent_count(struct merge *m)
{
	const struct control *c = m->control;

	for (uint64_t i = 0; i < control_cut_end(c, m->portion->cut - 1); i++) {
		uint64_t *last;

		if (merge_find(m, c->pairs.at[i].tid) != MERGE_NOBODY)
			continue;
		last = map_put(&m->past.counted, c->pairs.at[i].tid, NULL);
		if (c->pairs.at[i].tseq > *last)
			*last = c->pairs.at[i].tseq;
	}
}

void merge_past_begin(struct merge *m)
{
	absent_count(m);
	/* The first window ends at that cut. */
	for (uint64_t k = 0; k < m->portion->cut && !m->all_scanned; k++)
		merge_load_cut(m);
}

/* ---- swallowing ---- */

/* A call of unseen code lasts until the thread's next event that was not called from there; the
 * self-check uses the same rule. */
static void unseen_note(struct merge *m, struct prologue_thread *t, const struct event *e)
{
	const uint32_t *sites;
	uint32_t depth, from, below;

	if (t->unseen) {
		below = stacks_get(m->stacks, t->opaque.stack, &sites);
		depth = stacks_get(m->stacks, e->stack, &sites);
		from = depth == below ? e->site : depth > below ? sites[depth - 1 - below] : 0;
		t->unseen = depth >= below && (from == 0 || from == t->opaque.site);
	}
	if (e->op == EVENT_OPAQUE && !t->unseen) {
		t->unseen = true;
		t->opaque = (struct event){
			.tid = e->tid, .op = e->op, .site = e->site, .stack = e->stack
		};
	}
}

static void last_note(struct prologue_thread *t, const struct event *e)
{
	t->has_last = true;
	t->last = (struct event){ .tid = e->tid,
				  .op = e->op,
				  .flags = e->flags,
				  .lock_kind = e->lock_kind,
				  .site = e->site,
				  .stack = e->stack,
				  .addr = e->addr,
				  .arg = e->arg };
}

static void gone_note(struct merge *m, const struct event *e)
{
	for (uint32_t i = 0; i < e->nrefs; i++)
		map_put(&m->past.gone, merge_reads_key(e->refs[i], (e->addr >> 3) + i), NULL);
}

static void past_placed(struct merge *m, struct merge_thread *t, struct event *e)
{
	uint32_t peer;

	t->past.upto = t->emitted;
	if (t->item.replaces && (m->past.phase == MERGE_RELAX || t->emitted > t->stream.limit))
		gone_note(m, e);
	if (t->item.numbers == 0)
		return;
	last_note(&t->past, e);
	unseen_note(m, &t->past, e);
	if (e->op == EVENT_CANCEL && (peer = merge_find(m, e->peer)) != MERGE_NOBODY)
		m->threads[peer]->past.cancelled = true;
}

/* ---- its end ---- */

static bool is_past(const void *arg, struct version v)
{
	return merge_past_has(arg, v);
}

static void past_say(struct merge *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n; i++)
		n += m->threads[i]->past.upto;
	texts_note(
		m->notes,
		"the trace begins in the middle of the run, at cut %llu of %zu: %llu events of the "
		"threads in it came before",
		(unsigned long long)m->portion->cut, m->control->cuts.n, (unsigned long long)n);
}

static void past_end(struct merge *m)
{
	struct prologue *p = &m->past.prologue;

	p->blocks = m->blocks;
	p->stacks = m->stacks;
	p->is_past = is_past;
	p->arg = m;
	for (uint32_t i = 0; i < m->n; i++) {
		struct merge_thread *t = m->threads[i];

		t->past.src = t->stream.src;
		t->past.end = t->stream.end;
		t->past.stack_low = t->stream.stack_low;
		t->past.stack_len = t->stream.stack_high - t->stream.stack_low;
		/* Reads of INIT that the past passed over count again. */
		t->stream.grace = 0;
		t->force = false;
		t->clear = t->word;
		prologue_add(p, &t->past);
	}
	prologue_finish(p);
	past_say(m);
	m->mode = &merge_mode_present;
}

static void grace_give(struct merge *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		m->threads[i]->stream.grace = MERGE_EXTRA;
		if (m->threads[i]->state == MERGE_LIMIT)
			merge_ready(m, i);
	}
}

/* Within the past's only window. */
static enum status past_advance(struct merge *m)
{
	if (m->window == 0) { /* nothing has been scanned yet */
		merge_advance(m);
		return ST_OK;
	}
	if (m->past.phase == MERGE_CUT) {
		m->past.phase = MERGE_GRACE;
		grace_give(m);
		return ST_OK;
	}
	m->past.phase = MERGE_RELAX;
	if (!merge_relax(m))
		past_end(m);
	return ST_OK;
}

static bool past_overrules(const struct merge *m, const struct merge_thread *t)
{
	(void)m;
	(void)t;
	return true;
}

const struct merge_mode merge_mode_past = {
	.placed = past_placed,
	.overrules = past_overrules,
	.load = merge_whole_load,
	.advance = past_advance,
};

/* ---- afterwards ---- */

static bool reads_gone(const struct merge *m, const struct event *e)
{
	if (m->past.gone.n == 0 || (e->op != EVENT_READ && e->op != EVENT_RMW))
		return false;
	for (uint32_t i = 0; i < e->nrefs; i++)
		if (map_get(&m->past.gone, merge_reads_key(e->refs[i], (e->addr >> 3) + i)))
			return true;
	return false;
}

/* What the event names of the past is INIT, and no edge. */
static void present_placed(struct merge *m, struct merge_thread *t, struct event *e)
{
	/* They lie in the item, which does not need them any more. */
	struct version *refs = (struct version *)e->refs;
	struct version peer = { e->peer, e->peer_tseq };

	(void)t;
	if (reads_gone(m, e))
		e->flags |= EVENT_UNKNOWN;
	for (uint32_t i = 0; i < e->nrefs; i++)
		if (refs[i].tid != 0 && merge_past_has(m, refs[i]))
			refs[i] = (struct version){ 0, 0 };
	if ((e->op == EVENT_THREAD_BEGIN || e->op == EVENT_WAKE) && peer.tid != 0 &&
	    merge_past_has(m, peer))
		e->peer_tseq = e->peer = 0;
}

const struct merge_mode merge_mode_present = {
	.yields = true,
	.placed = present_placed,
	.overrules = merge_whole_overrules,
	.load = merge_whole_load,
	.advance = merge_whole_advance,
};

void merge_past_release(struct merge *m)
{
	prologue_release(&m->past.prologue);
	MAP_RELEASE_ALL(&m->past.gone, &m->past.counted);
}
