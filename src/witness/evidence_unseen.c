/*
 * Where unseen code runs, and when it may have written.
 *
 * A call of unseen code lasts until the thread's next event that did not come from there: one
 * whose frame on top of the caller's was not called from the site of the call or from nowhere known.  A
 * handler that ran unrecorded inside a hook shows as OPAQUE with an old number and is over at once.
 *
 *	T1   OPAQUE .... next	FORK T2			T2 comes after all T1 did
 *	T3	  OPAQUE .... next				T3's code may come later, or earlier
 *
 * A thread is calm up to a position when all unseen code that had ended by then comes before what the
 * thread does from now on, in every reordering: by forks and joins, for nothing else is as sure.
 */
#include "witness/evidence_priv.h"

/*
 * Phases of a run: while one thread lives alone, and while several do.
 *
 *	T1 ---- fork ------------------ join ----
 *	          T2 ------ OPAQUE ----
 *	  alone |       several         | alone
 *
 * The order of a trace says nothing of when, in the run, unseen code of another thread ran, unless forks and
 * joins do: an OPAQUE that comes after a read may have come before it.  All that is of an
 * earlier phase comes before, all of a later one after; within a phase unseen code of others may have
 * written whatever a read saw that no recorded write had left (a guess).  So guesses wait for
 * the end of their phase, and are strange if another thread's unseen code begins after them there; what
 * began before them is asked for when they are made (evidence_values.c).
 *
 * A thread that nobody joins lives to the end.  Where the recording lacks something, it lacks it in
 * its last phase, for joins name the end of what they join.
 */

void evidence_phase_unseen(struct evidence *ev, uint32_t tid, uint32_t pos)
{
	struct evidence_unseen *last = ev->phase.last;

	if (last[0].tid != tid)
		last[1] = last[0];
	last[0] = (struct evidence_unseen){ tid, pos };
}

static void phase_close(struct evidence *ev)
{
	const struct evidence_unseen *last = ev->phase.last;

	for (size_t pos = ev->phase.from; last[0].pos != 0 && pos < ev->items.n; pos++) {
		struct evidence_item *it = &ev->items.at[pos];

		if (it->guessed && (last[0].tid != it->tid ? last[0].pos : last[1].pos) > pos)
			it->strange = true;
	}
	ev->phase.from = (uint32_t)ev->items.n;
	memset(ev->phase.last, 0, sizeof(ev->phase.last));
}

/* The thread is born, or gone, if that is what comes next in its life. */
static void thread_becomes(struct evidence *ev, uint32_t tid, enum evidence_life life)
{
	struct evidence_thread *t = evidence_thread(ev, tid);
	bool born = life == EVIDENCE_ALIVE;

	if (t->life + 1 != life)
		return;
	t->life = life;
	ev->phase.alive += born ? 1 : -1;
	if (ev->phase.alive == (born ? 2 : 1))
		phase_close(ev);
}

void evidence_phase_event(struct evidence *ev, const struct event *e)
{
	thread_becomes(ev, e->tid, EVIDENCE_ALIVE);
	if (e->op == EVENT_FORK)
		thread_becomes(ev, e->peer, EVIDENCE_ALIVE);
	else if (e->op == EVENT_FORK_FAIL || (e->op == EVENT_JOIN && e->peer != e->tid))
		thread_becomes(ev, e->peer, EVIDENCE_GONE);
}

void evidence_phase_end(struct evidence *ev)
{
	if (!trace_info(ev->trace).complete)
		evidence_phase_unseen(ev, 0, UINT32_MAX);
	phase_close(ev);
}

/* ---- calls of unseen code ---- */

static bool is_from_unseen(const struct evidence *ev, const struct evidence_thread *t,
			   const struct event *e)
{
	const uint32_t *sites;
	uint32_t depth = trace_stack(ev->trace, e->stack, &sites), from;

	if (depth < t->unseen_depth)
		return false;
	from = depth == t->unseen_depth ? e->site : sites[depth - 1 - t->unseen_depth];
	return from == 0 || from == t->unseen_site;
}

static void writes_end(struct evidence *ev, uint32_t tid, uint32_t pos)
{
	struct evidence_unseen *last = ev->unseen.n ? &ev->unseen.at[ev->unseen.n - 1] : NULL;

	ev->threads.at[tid].wrote = pos;
	if (last && last->tid == tid)
		last->pos = pos;
	else
		*VEC_PUSH(&ev->unseen) = (struct evidence_unseen){ tid, pos };
}

static void writes_set(struct evidence *ev, struct evidence_thread *t, bool writes)
{
	ev->nwriting += writes && !t->writes;
	ev->nwriting -= !writes && t->writes;
	t->writes = writes;
}

/* Whose a thread's doing is by now. */
static uint32_t heir_of(const struct evidence *ev, uint32_t tid)
{
	while (ev->threads.at[tid].heir != 0)
		tid = ev->threads.at[tid].heir;
	return tid;
}

uint32_t evidence_unseen_others(const struct evidence *ev, uint32_t tid, uint32_t from)
{
	if (ev->nwriting > (ev->threads.at[tid].writes ? 1 : 0))
		return UINT32_MAX;
	for (size_t i = ev->unseen.n; i-- > 0 && ev->unseen.at[i].pos > from;)
		if (heir_of(ev, ev->unseen.at[i].tid) != tid)
			return ev->unseen.at[i].pos;
	return 0;
}

bool evidence_unseen_is_calm(const struct evidence *ev, uint32_t tid)
{
	return evidence_unseen_others(ev, tid, ev->threads.at[tid].calm) == 0;
}

static void join_note(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_thread *child = evidence_thread(ev, e->peer);
	bool wrote = child->writes || child->wrote > ev->threads.at[e->tid].wrote;

	if (e->peer == e->tid || child->heir != 0 || heir_of(ev, e->tid) == e->peer)
		return;
	writes_set(ev, child, false);
	child->heir = e->tid;
	if (wrote)
		writes_end(ev, e->tid, pos);
	if (evidence_unseen_is_calm(ev, e->tid))
		ev->threads.at[e->tid].calm = pos;
}

static void thread_note(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);

	switch (e->op) {
	case EVENT_THREAD_BEGIN:
		t->stack = e->addr;
		t->stack_len = e->len;
		break;
	case EVENT_THREAD_END:
		if (t->writes)
			writes_end(ev, e->tid, pos);
		writes_set(ev, evidence_thread(ev, e->tid), false);
		break;
	case EVENT_FORK:
		evidence_thread(ev, e->peer)->calm =
			evidence_unseen_is_calm(ev, e->tid) ? pos : ev->threads.at[e->tid].calm;
		break;
	case EVENT_JOIN:
		join_note(ev, e, pos);
		break;
	default:
		break;
	}
}

static void opaque_note(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);
	const uint32_t *sites;

	if (!(e->flags & EVENT_READS)) {
		writes_set(ev, t, true);
		evidence_phase_unseen(ev, e->tid, pos);
	}
	if (t->unseen)
		return;
	t->unseen = true;
	t->unseen_site = e->site;
	t->unseen_depth = trace_stack(ev->trace, e->stack, &sites);
}

void evidence_unseen_event(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_thread *t = evidence_thread(ev, e->tid);
	uint64_t last = e->tseq + (e->flags & EVENT_RANGE && e->nrefs ? e->nrefs - 1 : 0);
	bool fresh = last > t->last;

	if (fresh)
		t->last = last;
	ev->items.at[pos].unseen = e->op == EVENT_OPAQUE;
	if (!ev->binary || (e->flags & EVENT_REREAD))
		return;
	if (!(e->flags & EVENT_BEGUN))
		t->begun = 0;
	else if (t->begun == 0)
		t->begun = pos;
	if (e->op == EVENT_OPAQUE && !fresh && e->tseq != 0) {
		writes_end(ev, e->tid, pos);
		evidence_phase_unseen(ev, e->tid, pos);
		return;
	}
	t->unseen = t->unseen && is_from_unseen(ev, t, e);
	ev->items.at[pos].unseen |= t->unseen;
	if (!t->unseen && t->writes) {
		writes_end(ev, e->tid, pos);
		writes_set(ev, t, false);
	}
	if (e->op == EVENT_OPAQUE)
		opaque_note(ev, e, pos);
	thread_note(ev, e, pos);
}
