/*
 * When is a wait for ever?  When no signal is left that could end it.
 *
 *	recorded	those not in the schedule must come from threads that are stuck themselves
 *	more		a thread that has sent its last signal may send another if it goes on in another
 *			way than recorded, and it may where it reads what comes after the wait:
 *
 *				T1				T2
 *				while (!stop)			lock; wait; unlock
 *					signal			stop = 1
 *
 * So each sender has to get to its end, or to a place where it waits for a thread that is stuck: a
 * join, another condition.  Only then the wait is for ever.  Where a wait ended and nobody knows why,
 * somebody may signal who is not in the trace at all: another process.
 */
#include <string.h>

#include "order/causal.h"
#include "predict/sections.h"
#include "predict/waits_priv.h"

static bool is_stuck(const struct waits *s, const struct goal *g, uint32_t tid)
{
	for (uint32_t i = 0; i < g->nnext; i++)
		if (s->m->event[g->next[i]].tid == tid)
			return true;
	return false;
}

/* The event cannot be had before those of g->next. */
static bool comes_after(const struct waits *s, const struct goal *g, uint32_t e)
{
	memset(s->cut, 0, s->m->nchains * sizeof(*s->cut));
	return !causal_upto(s->c, e, s->cut) || goal_is_passed(g, s->m, s->cut);
}

/* How many of these events of a chain, in order, can be had. */
static uint32_t count_before(const struct waits *s, const struct goal *g, const uint32_t *events,
			     uint32_t n)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (comes_after(s, g, events[mid]))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Of each chain the last signal that can be had.  False: some cannot. */
struct signals {
	VEC(uint32_t) at;
};
static bool signals_list(const struct waits *s, uint32_t condition, const struct goal *g,
			 struct signals *out)
{
	const struct waits_index *x = &s->index;

	for (uint32_t i = x->sender_start[condition]; i < x->sender_start[condition + 1]; i++) {
		const uint32_t *at = x->signals.at + x->senders.at[i].first;
		uint32_t n = x->senders.at[i].n, can;

		if (is_stuck(s, g, s->m->event[at[n - 1]].tid))
			continue; /* the others of this chain come before, or are its own */
		can = count_before(s, g, at, n);
		if (can < n)
			return false;
		*VEC_PUSH(&out->at) = at[n - 1];
	}
	return true;
}

static bool signals_are_in(const struct waits *s, uint32_t condition, const struct goal *g)
{
	const struct waits_index *x = &s->index;

	for (uint32_t i = x->sender_start[condition]; i < x->sender_start[condition + 1]; i++) {
		const struct waits_sender *from = &x->senders.at[i];
		uint32_t last = x->signals.at[from->first + from->n - 1];

		if (!is_stuck(s, g, s->m->event[last].tid) && !waits_is_in(s, last))
			return false;
	}
	return true;
}

/* ---- one more ---- */

/* Chains to look at, each once. */
struct chains {
	VEC(uint32_t) at;
	uint8_t *known;
};

static void chains_add(struct chains *c, uint32_t chain)
{
	if (c->known[chain])
		return;
	c->known[chain] = 1;
	*VEC_PUSH(&c->at) = chain;
}

static bool is_target(const struct goal *g, uint32_t e)
{
	for (uint32_t i = 0; i < g->nnext; i++)
		if (g->next[i] == e)
			return true;
	return false;
}

/* Without the events it comes after, the thread stands still before e. */
static bool is_blocked_at(const struct model *m, uint32_t e)
{
	uint32_t before = waits_before(m, e);

	if (!before || m->event[e].op == STEP_JOIN)
		return true; /* not forked; not joined */
	return m->event[e].op == STEP_GET && m->event[before].op == STEP_PARK &&
	       !(m->event[before].flags & STEP_TRY);
}

/* The chain runs to its end or stands still because of threads that are stuck, or of chains that
 * are added. */
static bool chain_is_over(const struct waits *s, const struct goal *g, uint32_t chain,
			  struct chains *more)
{
	struct model_list events = model_chain(s->m, chain), preds;
	uint32_t n = count_before(s, g, events.at, events.n), e;

	if (n == events.n)
		return true;
	e = events.at[n];
	if (is_target(g, e))
		return true;
	if (!is_blocked_at(s->m, e))
		return false;
	preds = model_preds(s->m, e);
	for (uint32_t i = 0; i < preds.n; i++) {
		const struct model_event *p = &s->m->event[preds.at[i]];

		if (!is_stuck(s, g, p->tid) && comes_after(s, g, preds.at[i]))
			chains_add(more, p->chain);
	}
	return true;
}

static bool signals_are_over(const struct waits *s, uint32_t condition, const struct goal *g)
{
	const struct waits_index *x = &s->index;
	struct chains chains = { .known = mem_zalloc(s->m->nchains + 1) };
	bool over = !x->unexplained[condition];

	for (uint32_t i = x->sender_start[condition]; i < x->sender_start[condition + 1]; i++)
		chains_add(&chains, x->senders.at[i].chain);
	for (size_t i = 0; i < chains.at.n && over; i++)
		over = chain_is_over(s, g, chains.at.at[i], &chains);
	VEC_RELEASE(&chains.at);
	mem_free(chains.known);
	return over;
}

/* ---- both ---- */

/* An order with all signals; else s->order is what it was. */
static bool reach_all(struct waits *s, const struct goal *g, const struct signals *left,
		      uint32_t signal)
{
	struct goal all = { g->next, g->nnext, left->at.at, (uint32_t)left->at.n };
	struct exact_order was = s->order;

	s->order = (struct exact_order){ 0 };
	if (waits_reach(s, &all) == WAITS_FOUND && (!signal || waits_is_unheard(s, signal))) {
		exact_order_release(&was);
		return true;
	}
	exact_order_release(&s->order);
	s->order = was;
	waits_order_note(s);
	return false;
}

enum waits_proof waits_prove(struct waits *s, uint32_t condition, const struct goal *g,
			     uint32_t signal)
{
	bool over = signals_are_over(s, condition, g), sure;
	struct signals left = { 0 };

	if (signals_are_in(s, condition, g) && (!signal || waits_is_unheard(s, signal)))
		return over ? WAITS_SURE : WAITS_NOT_OVER;
	sure = over && signals_list(s, condition, g, &left) && reach_all(s, g, &left, signal);
	VEC_RELEASE(&left.at);
	return sure ? WAITS_SURE : WAITS_MORE_LEFT;
}
