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
#include "witness/evidence_priv.h"

void evidence_phase_begin(struct evidence *ev, bool late)
{
	ev->phase.from = 1;
	ev->phase.alive = late ? 1 : 0; /* who lives then is not known: it is never one alone */
}

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

static void thread_lives(struct evidence *ev, uint32_t tid)
{
	struct evidence_thread *t = evidence_thread(ev, tid);

	if (t->life != EVIDENCE_UNBORN)
		return;
	t->life = EVIDENCE_ALIVE;
	if (++ev->phase.alive == 2)
		phase_close(ev);
}

static void thread_gone(struct evidence *ev, uint32_t tid)
{
	struct evidence_thread *t = evidence_thread(ev, tid);

	if (t->life != EVIDENCE_ALIVE)
		return;
	t->life = EVIDENCE_GONE;
	if (--ev->phase.alive == 1)
		phase_close(ev);
}

void evidence_phase_event(struct evidence *ev, const struct event *e)
{
	thread_lives(ev, e->tid);
	if (e->op == EVENT_FORK)
		thread_lives(ev, e->peer);
	else if (e->op == EVENT_FORK_FAIL || (e->op == EVENT_JOIN && e->peer != e->tid))
		thread_gone(ev, e->peer);
}

bool evidence_phase_is_shared(const struct evidence *ev)
{
	return ev->phase.alive > 1;
}

void evidence_phase_end(struct evidence *ev)
{
	struct trace_info info;

	trace_info(ev->trace, &info);
	if (!info.complete)
		evidence_phase_unseen(ev, 0, UINT32_MAX);
	phase_close(ev);
}
