/*
 * Reads that are in no record, and what must stay for them.
 *
 * A thread that reads the same bytes again and again has the first of these reads in the trace, and one
 * that closes the run (EVENT_REREAD).  The others lie somewhere between those two:
 *
 *	T1	r(x)=0    w(v)    w(z)    r(x) closes
 *	            . .    . .     . .		r(x)=0, perhaps
 *
 * An order that has the closing read holds all of them.  One in which T1 has not come so far must not
 * change x before the last event that it has of T1: that one may follow a read of the old value.  Behind
 * it x may change, for T1 comes to its next event at once.
 *
 * The first read is the first of the bytes since the write that all of them saw, and since the thread
 * last synchronised: runs end there.
 */
#include "witness/evidence_priv.h"

/* The recorder closes all runs there.  Not all that do so are here: a run that seems longer than it
 * was holds more. */
static bool ends_runs(const struct evidence_item *it)
{
	switch (it->op) {
	case EVENT_ACQ:
	case EVENT_REL:
	case EVENT_RACQ:
	case EVENT_RREL:
	case EVENT_LOCK_DESTROY:
	case EVENT_PARK:
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_FORK:
	case EVENT_JOIN:
	case EVENT_FENCE:
	case EVENT_OPAQUE:
		return true;
	default:
		return false;
	}
}

static bool may_begin(const struct evidence_item *it)
{
	return it->op == EVENT_RMW ||
	       (it->op == EVENT_READ &&
		(it->flags & (EVENT_FREE_READ | EVENT_REREAD)) != EVENT_FREE_READ);
}

/* Does the event touch the bytes of the cell, so that a run may begin with it? */
static bool begins_run(const struct evidence *ev, const struct evidence_item *it, uint32_t cell,
		       unsigned mask)
{
	uint64_t i = ev->cells.at[cell].word - (it->addr >> 3);
	struct evidence_mixed m;

	if (!may_begin(it) || i >= it->nwords)
		return false;
	evidence_spread(ev, it, (uint32_t)i, &m);
	for (unsigned k = 0; k < 8; k++)
		if ((mask >> k & 1) && m.cell[k] == cell)
			return true;
	return false;
}

/* ---- which events may begin runs, by word ---- */

/* Steps back before the index is asked: most runs are short. */
#define NEAR 128u

/* The thread's events from its last end of runs on, before its event number `kept', are indexed. */
static struct evidence_runs *runs_index(struct evidence *ev, uint32_t tid, uint32_t kept)
{
	const struct evidence_thread *t = &ev->threads.at[tid];
	struct evidence_runs *r;
	uint32_t from = kept;

	VEC_REACH(&ev->runs, tid);
	r = &ev->runs.at[tid];
	while (from > r->upto && !ends_runs(evidence_item(ev, t->events.at[from - 1])))
		from--;
	if (from > r->upto || kept < r->upto) {
		map_clear(&r->last);
		VEC_CLEAR(&r->entries);
		r->from = r->upto = from;
	}
	for (; r->upto < kept; r->upto++) {
		const struct evidence_item *it = evidence_item(ev, t->events.at[r->upto]);

		for (uint32_t i = 0; may_begin(it) && i < it->nwords; i++) {
			uint64_t *last = map_put(&r->last, (it->addr >> 3) + i, NULL);

			*VEC_PUSH(&r->entries) =
				(struct evidence_entry){ r->upto, (uint32_t)*last };
			*last = r->entries.n;
		}
	}
	return r;
}

/* The first event since `seen' that may begin a run of the cell, as number + 1; 0: there is none.  *from: where runs
 * last ended, or the event behind `seen'. */
static uint32_t runs_first(struct evidence *ev, const struct evidence_stay *s, uint32_t kept,
			   uint32_t seen, uint32_t *from)
{
	const struct evidence_runs *r = runs_index(ev, s->tid, kept);
	const struct evidence_thread *t = &ev->threads.at[s->tid];
	const uint64_t *last = map_get(&r->last, ev->cells.at[s->cell].word);
	uint32_t first = 0;

	for (uint32_t e = last ? (uint32_t)*last : 0; e != 0; e = r->entries.at[e - 1].before) {
		uint32_t i = r->entries.at[e - 1].index;

		if (t->events.at[i] <= seen)
			break;
		if (begins_run(ev, evidence_item(ev, t->events.at[i]), s->cell, s->mask))
			first = i + 1;
	}
	*from = SEARCH_PAST(i, r->from, kept, t->events.at[i] <= seen);
	return first;
}

void evidence_runs_release(struct evidence *ev)
{
	for (size_t i = 0; i < ev->runs.n; i++) {
		map_release(&ev->runs.at[i].last);
		VEC_RELEASE(&ev->runs.at[i].entries);
	}
	VEC_RELEASE(&ev->runs);
}

/* ---- what stays ---- */

/* The bytes of one cell, written by event `seen', stay for the thread until it has come to its event
 * number `end'; `kept' of its events are before that, and known. */
static void stay_add(struct evidence *ev, struct evidence_stay s, uint32_t kept, uint32_t seen)
{
	const struct evidence_thread *t = &ev->threads.at[s.tid];
	bool found = false;
	uint32_t i = kept;

	while (i > 0 && kept - i < NEAR && t->events.at[i - 1] > seen &&
	       !ends_runs(evidence_item(ev, t->events.at[i - 1]))) {
		i--;
		if (begins_run(ev, evidence_item(ev, t->events.at[i]), s.cell, s.mask)) {
			found = true;
			s.first = i + 1;
		}
	}
	if (kept - i == NEAR) {
		s.first = runs_first(ev, &s, kept, seen, &i);
		found = s.first != 0;
	}
	if (i > 0 && seen != 0 && t->events.at[i - 1] == seen &&
	    evidence_item(ev, seen)->op == EVENT_RMW) {
		found = true;
		s.first = i;
	}
	/* Of a trace that begins in the middle the first read may be missing. */
	if (!found && i == 0 && seen == 0) {
		found = true;
		s.first = 0;
	}
	if (found && s.first <= s.end)
		*VEC_PUSH(&ev->stays) = s;
}

/* By cells: closing reads are of one word. */
static void stays_add(struct evidence *ev, uint32_t tid, uint32_t kept, uint32_t end,
		      const struct evidence_mixed *m)
{
	unsigned left = 0;
	uint32_t seen = 0;

	for (unsigned k = 0; k < 8; k++) {
		left |= (unsigned)(m->cell[k] != 0) << k;
		if (m->cell[k] != 0 && m->seen[k] > seen)
			seen = m->seen[k];
	}
	while (left != 0) {
		uint32_t cell = m->cell[__builtin_ctz(left)];
		unsigned mask = 0;

		for (unsigned k = 0; k < 8; k++)
			mask |= (unsigned)(m->cell[k] == cell) << k;
		stay_add(ev, (struct evidence_stay){ cell, tid, 0, end, mask }, kept, seen);
		left &= ~mask;
	}
}

void evidence_stay_event(struct evidence *ev, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(ev, pos);
	struct evidence_mixed m;

	for (uint32_t i = 0; i < it->nwords; i++) {
		evidence_spread(ev, it, i, &m);
		stays_add(ev, it->tid, it->index, it->index, &m);
	}
}

/* What the closing read saw is among the events that were kept. */
static bool is_kept(const struct evidence *ev, const struct event *e)
{
	return e->refs == NULL || e->nrefs == 0 || e->refs[0].tid == 0 ||
	       (e->refs[0].tid < ev->threads.n &&
		e->refs[0].tseq <= ev->threads.at[e->refs[0].tid].last);
}

void evidence_stay_beyond(struct evidence *ev, const struct event *e)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);
	const struct evidence_item it = { .op = e->op };
	struct evidence_mixed m = { 0 };
	uint32_t kept = (uint32_t)t->events.n;

	t->closed |= ends_runs(&it);
	if (e->op != EVENT_READ || !(e->flags & EVENT_REREAD) || t->closed || kept == 0 ||
	    !is_kept(ev, e))
		return;
	for (unsigned i = 0; i < e->len && i < 8 - (e->addr & 7); i++) {
		unsigned k = (unsigned)(e->addr & 7) + i;

		m.cell[k] = evidence_cell_of(ev, e->addr + i);
		m.seen[k] = evidence_last(&ev->memory.lasts, ev->cells.at[m.cell[k]].last, k);
	}
	stays_add(ev, e->tid, kept, UINT32_MAX, &m);
}

static int stay_order(const void *x, const void *y)
{
	const struct evidence_stay *a = x, *b = y;

	return SORT_ORDER(a->cell, b->cell) ?:
	       SORT_ORDER(a->tid, b->tid)   ?:
	       SORT_ORDER(a->first, b->first);
}

void evidence_stays_finish(struct evidence *ev)
{
	evidence_runs_release(ev);
	for (size_t i = 0; i < ev->cells.n; i++)
		ev->cells.at[i].stay = 0;
	SORT_VEC(&ev->stays, stay_order);
	for (size_t i = ev->stays.n; i-- > 0;)
		ev->cells.at[ev->stays.at[i].cell].stay = (uint32_t)i + 1;
}

uint32_t evidence_stay_next(const struct evidence *ev, uint32_t cell, size_t at, size_t *end)
{
	const struct evidence_stay *s = ev->stays.at;
	uint32_t tid;

	if (at == ev->stays.n || s[at].cell != cell)
		return 0;
	tid = s[at].tid;
	*end = SEARCH_PAST(i, at, ev->stays.n, s[i].cell == cell && s[i].tid == tid);
	return tid;
}
