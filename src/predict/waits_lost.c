/*
 * Lost wakeups: the signal that ended a wait in the recorded run could have come before it.
 *
 *	recorded	T1			T2	possible	T1		T2
 *						test			 		test
 *						lock		 	lock
 *						wait		 	signal
 *			lock					 	unlock
 *			signal						 		lock
 *			unlock						 		wait ...
 *						unlock
 *
 * A wait whose mutex protects test and change is safe from it: T2's test, a binding read, would
 * see the change.  So the search needs no notion of a predicate.
 *
 * A wake after which the thread waits again was idle, and its signal no loss: a signal that is sent
 * after the unlock may come late, in right programs too.  Where more signals are left than can be in
 * the schedule (waits_signals.c), a finding is a warning at best.
 *
 * A run without any access was recorded for its locks only.  No test is to be seen there, and
 * every wait would look like a wrong one.
 */
#include "predict/waits_priv.h"

#define LOOK_MAX 256u /* events looked at for what a wake was good for */

/* ---- what was the wake good for? ---- */

/* Right after it the thread waits again, and has written nothing. */
static bool is_idle(const struct model *m, const struct waits_wait *w)
{
	uint32_t acquire = waits_after(m, w->wake), release, park, e;

	if (!acquire || m->event[acquire].op != STEP_ACQ)
		return false;
	release = m->event[acquire].partner;
	park = release ? waits_after(m, release) : 0;
	if (!park || m->event[park].op != STEP_PARK || m->event[park].obj != w->condition)
		return false;
	e = acquire;
	for (uint32_t i = 0; i < LOOK_MAX && e != release; i++) {
		if (m->event[e].op == STEP_WRITE || m->event[e].op == STEP_RMW ||
		    m->event[e].op == STEP_FREE)
			return false;
		e = waits_after(m, e);
	}
	return true;
}

/* Events of the chain that must run before e; 0 for never too. */
static uint32_t knows(struct waits *s, uint32_t e, uint32_t chain)
{
	memset(s->cut, 0, s->m->nchains * sizeof(*s->cut));
	return causal_before(s->must, e, s->cut) ? s->cut[chain] : 0;
}

/* The write is what the signal was about: its thread made it before, and who waits could not have
 * seen it when it made its test.  known: events of that thread that it knew of. */
static bool is_news(const struct model *m, const struct waits_wait *w, uint32_t known,
		    uint32_t write)
{
	const struct model_event *v = &m->event[write], *r = &m->event[w->release];

	return v->tid == m->event[w->by].tid && write < w->by && v->index >= known &&
	       (write > r->partner || !model_hold_find(m, v->hold, r->obj, false));
}

/* After it the thread learns something, and only what this signal was not about. */
static bool is_by_chance(struct waits *s, const struct waits_wait *w)
{
	const struct model *m = s->m;
	uint32_t e = waits_after(m, w->wake), known;
	bool others = false;

	known = knows(s, w->release, m->event[w->by].chain);
	for (uint32_t n = 0; n < LOOK_MAX && e && m->event[e].op != STEP_PARK; n++) {
		bool reads = m->event[e].op == STEP_READ || m->event[e].op == STEP_RMW;

		for (uint32_t i = 0; reads && i < model_ntouches(m, e); i++) {
			uint32_t seen = m->touches[m->event[e].touch + i].seen;

			if (seen && is_news(m, w, known, seen))
				return false;
			others |= seen > w->release && m->event[seen].tid != m->event[e].tid;
		}
		e = waits_after(m, e);
	}
	return others;
}

/* ---- waits that never came back ---- */

/*
 * They need not be wrong: a worker may wait for work until the program ends.  So somebody must be
 * waiting for the thread, and the thread must not have got the message otherwise: a signal that
 * came while it was busy, and whose cause it has seen, is not lost.
 */

/* What the thread knows of the sender, apart from what it was born with, is older than the signal
 * before this one. */
static bool is_unknown(struct waits *s, const struct waits_wait *w, uint32_t chain,
		       uint32_t previous)
{
	const struct model *m = s->m;
	struct model_list events = model_chain(m, m->event[w->release].chain);
	uint32_t first = m->event[w->release].index, old;

	while (first > 0 && m->event[events.at[first - 1]].tid == m->event[w->release].tid)
		first--;
	old = knows(s, events.at[first], chain);
	if (previous && m->event[previous].index + 1 > old)
		old = m->event[previous].index + 1;
	return knows(s, w->release, chain) <= old;
}

/* Of each sender the last signal before the wait.  Letting go of the mutex and waiting are one, so
 * what is recorded between the two came before: it did not wake the thread. */
static void pick_for_ever(struct waits *s, uint32_t wait, struct waits_picks *picks)
{
	const struct waits_index *x = &s->index;
	const struct waits_wait *w = &x->waits.at[wait];
	const struct model *m = s->m;

	if (!waits_is_missed(m, m->event[w->release].tid))
		return;
	for (const struct waits_sender *from = waits_senders(x, w->condition);
	     from < waits_senders(x, w->condition + 1); from++) {
		const uint32_t *at = x->signals.at + from->first;
		uint32_t n = from->n;

		while (n > 0 && at[n - 1] > w->park)
			n--;
		if (n > 0 && from->chain != m->event[w->release].chain &&
		    is_unknown(s, w, from->chain, n > 1 ? at[n - 2] : 0))
			waits_picks_add(picks, waits_key(m, at[n - 1], w->release),
					(struct waits_item){ wait, at[n - 1] });
	}
}

/* ---- trying ---- */

static void pick_all(struct waits *s, struct waits_picks *picks)
{
	for (uint32_t i = 0; i < s->index.waits.n; i++) {
		const struct waits_wait *w = &s->index.waits.at[i];

		if (!waits_can_last(s->m, w))
			continue;
		/* A signal after which the thread waits on may as well be lost. */
		if (w->by && is_idle(s->m, w))
			continue;
		if (w->by && s->m->event[w->by].tid != s->m->event[w->park].tid)
			waits_picks_add(picks, waits_key(s->m, w->by, w->release),
					(struct waits_item){ i, w->by });
		else if (!waits_after(s->m, w->park))
			pick_for_ever(s, i, picks);
	}
}

/* *warned: a warning of this signature was given already. */
static enum goal_outcome try_wait(struct waits *s, const struct waits_wait *w, uint32_t signal,
				  bool *sure, bool *warned)
{
	struct waits_case c = {
		.wait = w,
		.goal = { .next = &w->release, .nnext = 1, .done = &signal, .ndone = 1 },
		.signal = signal
	};
	enum goal_outcome outcome = waits_reach(s, &c.goal);
	enum waits_proof proof;

	if (outcome != GOAL_FOUND)
		return outcome;
	proof = waits_prove(s, &c);
	*sure = proof == WAITS_SURE;
	if (!*sure && (*warned || !w->by || !waits_is_unheard(s, signal) || is_by_chance(s, w)))
		return GOAL_SEARCHED;
	*warned |= !*sure;
	waits_tell(s, FINDING_LOST_WAKEUP, signal, w->release, proof);
	return GOAL_FOUND;
}

void waits_lost(struct waits *s)
{
	struct waits_picks picks = { 0 };

	if (!s->m->has_accesses)
		return;
	pick_all(s, &picks);
	for (size_t i = 0; i < picks.at.n && !waits_is_over(s); i++) {
		const struct waits_pick *p = &picks.at.at[i];
		enum goal_outcome best = p->n > LIMIT_TRIES ? GOAL_SEARCHED : GOAL_REFUTED, one;
		bool sure = false, warned = false;

		s->steps = 0;
		for (uint32_t k = 0; k < waits_pick_count(p) && !sure; k++) {
			struct waits_item it = waits_pick_get(p, k);

			one = try_wait(s, &s->index.waits.at[it.a], it.b, &sure, &warned);
			best = one > best ? one : best;
		}
		waits_count(s, best);
	}
	waits_picks_release(&picks);
}
