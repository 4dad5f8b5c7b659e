/*
 * When is a wait for ever?  When no signal is left that could end it.
 *
 *	recorded	those not in the schedule must come from threads that are stuck themselves
 *	more		a thread that goes on in another way than recorded may send one that was
 *			never sent, and it may where it reads what comes after the wait:
 *
 *				T1				T2
 *				while (!stop)			lock; wait; unlock
 *					signal			stop = 1
 *
 *			or where it looks after the others (a watchdog)
 *
 * So each thread has to get to its end, or to where it waits for one that is stuck: a join,
 * another condition, a lock.  Where a thread waited when the recorded run ended is no end: a signal that came
 * too early there, or the lock that was not free, may let it go on.  Only then the wait is for ever.  Where a wait ended and nobody knows
 * why, somebody may signal who is not in the trace at all: another process.
 */

#include "predict/waits_priv.h"

/* The thread that waits, and those that come no further than the goal. */
static bool is_stuck(const struct waits *s, const struct waits_case *c, uint32_t tid)
{
	for (uint32_t i = 0; i < c->goal.nnext; i++)
		if (s->m->event[c->goal.next[i]].tid == tid)
			return true;
	return s->m->event[c->wait->park].tid == tid;
}

/* The event cannot be had before those of goal.next. */
static bool comes_after(const struct waits *s, const struct waits_case *c, uint32_t e)
{
	memset(s->cut, 0, s->m->nchains * sizeof(*s->cut));
	return !causal_upto(s->must, e, s->cut) || goal_is_passed(&c->goal, s->m, s->cut);
}

/* How many of these events of a chain, in order, can be had. */
static uint32_t count_before(const struct waits *s, const struct waits_case *c,
			     const uint32_t *events, uint32_t n)
{
	return SEARCH_PAST(i, 0, n, !comes_after(s, c, events[i]));
}

/* Of each chain the last signal that can be had.  False: some cannot. */
struct signals {
	VEC(uint32_t) at;
};
static bool signals_list(const struct waits *s, const struct waits_case *c, struct signals *out)
{
	const struct waits_sender *from = waits_senders(&s->index, c->wait->condition);

	for (; from < waits_senders(&s->index, c->wait->condition + 1); from++) {
		const uint32_t *at = s->index.signals.at + from->first;

		if (is_stuck(s, c, s->m->event[at[from->n - 1]].tid))
			continue; /* the others of this chain come before, or are its own */
		if (count_before(s, c, at, from->n) < from->n)
			return false;
		*VEC_PUSH(&out->at) = at[from->n - 1];
	}
	return true;
}

static bool signals_are_in(const struct waits *s, const struct waits_case *c)
{
	const struct waits_sender *from = waits_senders(&s->index, c->wait->condition);

	for (; from < waits_senders(&s->index, c->wait->condition + 1); from++) {
		uint32_t last = s->index.signals.at[from->first + from->n - 1];

		if (!is_stuck(s, c, s->m->event[last].tid) && !waits_is_in(s, last))
			return false;
	}
	return true;
}

/* ---- one more ---- */

static bool is_target(const struct goal *g, uint32_t e)
{
	for (uint32_t i = 0; i < g->nnext; i++)
		if (g->next[i] == e)
			return true;
	return false;
}

/* The thread stands still before e: it is not forked, or what it joins or waits for does not come. */
static bool is_blocked_at(const struct waits *s, const struct waits_case *c, uint32_t e)
{
	struct model_list preds = model_preds(s->m, e);
	uint32_t before = waits_before(s->m, e);
	const struct model_event *v = &s->m->event[e], *b = &s->m->event[before];
	bool comes = true;

	for (uint32_t i = 0; i < preds.n; i++)
		comes &= !comes_after(s, c, preds.at[i]);
	return !comes && (!before || v->op == STEP_JOIN ||
			  (v->op == STEP_GET && b->op == STEP_PARK && !(b->flags & STEP_TRY)));
}

/* A thread that is stuck at `at' has a lock that is held at e.  So e, which comes later than that,
 * is never reached.  The mutex of the wait is not kept. */
static bool is_kept_out(const struct waits *s, const struct waits_case *c, uint32_t e, uint32_t at)
{
	const struct model *m = s->m;
	uint32_t mutex = m->event[c->wait->release].obj;

	for (uint32_t h = m->event[at].hold; h; h = m->holds[h].next) {
		if (at == c->wait->release && m->holds[h].lock == mutex)
			continue;
		if (model_hold_find(m, m->event[e].hold, m->holds[h].lock, m->holds[h].shared))
			return true;
	}
	return false;
}

static bool is_locked_out(const struct waits *s, const struct waits_case *c, uint32_t e)
{
	if (is_kept_out(s, c, e, c->wait->release))
		return true;
	for (uint32_t i = 0; i < c->goal.nnext; i++)
		if (s->m->event[c->goal.next[i]].tid != s->m->event[c->wait->park].tid &&
		    is_kept_out(s, c, e, c->goal.next[i]))
			return true;
	return false;
}

/* A signal of the condition is left to come.  Those of the wait's own are all in the order, or it is not sure. */
static bool is_signalled_later(const struct waits *s, const struct waits_case *c,
			       const struct model_event *park)
{
	const struct waits_sender *from = waits_senders(&s->index, park->obj);

	if (park->obj == c->wait->condition)
		return false;
	for (; from < waits_senders(&s->index, park->obj + 1); from++) {
		const uint32_t *at = s->index.signals.at + from->first;
		uint32_t n = count_before(s, c, at, from->n);

		if (from->chain != park->chain && n > 0 && !waits_is_in(s, at[n - 1]))
			return true;
	}
	return false;
}

/* A thread that is stuck has the lock, or one has it in the order that never gives it back. */
static bool is_kept(const struct waits *s, const struct waits_case *c,
		    const struct model_event *request)
{
	const struct model *m = s->m;
	bool shared = request->op == STEP_RREQ;

	if (request->obj != m->event[c->wait->release].obj &&
	    model_hold_find(m, m->event[c->wait->release].hold, request->obj, shared))
		return true;
	for (uint32_t i = 0; i < c->goal.nnext; i++)
		if (c->goal.next[i] != c->wait->release &&
		    model_hold_find(m, m->event[c->goal.next[i]].hold, request->obj, shared))
			return true;
	for (uint32_t v = 0; v < m->nchains; v++) {
		struct model_list events = model_chain(m, v);
		uint32_t last = events.n ? events.at[events.n - 1] : 0, acquire;

		if (last == 0 || v == request->chain)
			continue;
		acquire = model_hold_find(m, m->event[last].hold, request->obj, shared);
		if (acquire && waits_is_in(s, acquire))
			return true;
	}
	return false;
}

/* The recorded run ended where the thread waited.  In another it may go on, and nobody knows how. */
static bool may_go_on(const struct waits *s, const struct waits_case *c, uint32_t last)
{
	const struct model_event *v = &s->m->event[last];

	if (v->op == STEP_PARK)
		return (v->flags & STEP_TRY) || is_signalled_later(s, c, v);
	return (v->op == STEP_REQ || v->op == STEP_RREQ) && !is_kept(s, c, v);
}

/* The chain runs to its end, or stands still because of threads that are stuck or, each for itself,
 * of others that do. */
static bool chain_is_over(const struct waits *s, const struct waits_case *c, uint32_t chain)
{
	struct model_list events = model_chain(s->m, chain);
	uint32_t e;

	if (events.n == 0)
		return true;
	if (!comes_after(s, c, events.at[events.n - 1]))
		return !may_go_on(s, c, events.at[events.n - 1]);
	e = events.at[count_before(s, c, events.at, events.n)];
	return is_target(&c->goal, e) || is_locked_out(s, c, e) || is_blocked_at(s, c, e);
}

static bool signals_are_over(const struct waits *s, const struct waits_case *c)
{
	bool over = !s->index.unexplained[c->wait->condition];

	for (uint32_t v = 0; v < s->m->nchains && over; v++)
		over = chain_is_over(s, c, v);
	return over;
}

/* ---- both ---- */

bool waits_case_holds(struct waits *s, const struct waits_case *c)
{
	return (!c->signal || waits_is_unheard(s, c->signal)) &&
	       (!c->is_parked || waits_is_quiet(s, c->wait));
}

/* An order with all signals; else s->order is what it was. */
static bool reach_all(struct waits *s, const struct waits_case *c, const struct signals *left)
{
	struct goal all = { .next = c->goal.next,
			    .nnext = c->goal.nnext,
			    .done = left->at.at,
			    .ndone = (uint32_t)left->at.n };
	struct exact_order was = s->order;

	s->order = (struct exact_order){ 0 };
	if (waits_reach(s, &all) == GOAL_FOUND && waits_case_holds(s, c)) {
		exact_order_release(&was);
		return true;
	}
	exact_order_release(&s->order);
	s->order = was;
	waits_order_note(s);
	return false;
}

enum waits_proof waits_prove(struct waits *s, const struct waits_case *c)
{
	bool over = signals_are_over(s, c), sure;
	struct signals left = { 0 };

	if (signals_are_in(s, c) && waits_case_holds(s, c))
		return over ? WAITS_SURE : WAITS_NOT_OVER;
	VEC_APPEND(&left.at, c->goal.done, c->goal.ndone);
	sure = over && signals_list(s, c, &left) && reach_all(s, c, &left);
	VEC_RELEASE(&left.at);
	return sure ? WAITS_SURE : WAITS_MORE_LEFT;
}
