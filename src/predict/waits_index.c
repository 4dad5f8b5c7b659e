/*
 * Waits and signals by condition: two counting sorts each, so linear however many there are.
 */
#include "predict/waits_priv.h"

uint32_t waits_after(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	struct model_list chain = model_chain(m, v->chain);
	uint32_t next = v->index + 1 < chain.n ? chain.at[v->index + 1] : 0;

	return next && m->event[next].tid == v->tid ? next : 0;
}

uint32_t waits_before(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	uint32_t prev = v->index > 0 ? model_chain(m, v->chain).at[v->index - 1] : 0;

	return prev && m->event[prev].tid == v->tid ? prev : 0;
}

uint32_t waits_count_before(const uint32_t *at, uint32_t n, uint32_t e)
{
	return SEARCH_PAST(i, 0, n, at[i] < e);
}

/* The last event of the chain, if it has any. */
static uint32_t chain_last(const struct model *m, uint32_t chain)
{
	struct model_list events = model_chain(m, chain);

	return events.n ? events.at[events.n - 1] : 0;
}

bool waits_is_missed(const struct model *m, uint32_t tid)
{
	if (m->event[1].tid == tid)
		return true; /* the first thread: the program has not ended */
	for (uint32_t c = 0; c < m->nchains; c++) {
		const struct model_event *last = &m->event[chain_last(m, c)];

		if (last->op == STEP_JOINING && last->partner == tid)
			return true;
	}
	return false;
}

bool waits_can_last(const struct model *m, const struct waits_wait *w)
{
	return w->release != w->park && !(m->event[w->park].flags & STEP_TRY);
}

/* The signal that a wake names; 0 none. */
static uint32_t woken_by(const struct model *m, uint32_t wake, uint32_t condition)
{
	struct model_list preds = model_preds(m, wake);

	for (uint32_t i = 0; m->event[wake].op == STEP_GET && i < preds.n; i++) {
		const struct model_event *p = &m->event[preds.at[i]];

		if (p->op == STEP_NOTIFY && p->obj == condition)
			return preds.at[i];
	}
	return 0;
}

static struct waits_wait wait_make(const struct model *m, uint32_t park)
{
	uint32_t before = waits_before(m, park), after = waits_after(m, park), acquire;
	struct waits_wait w = { .release = park, .park = park, .condition = m->event[park].obj };

	if (before && m->event[before].op == STEP_REL && (m->event[before].flags & STEP_IN_WAIT))
		w.release = before;
	if (!after)
		return w;
	w.by = woken_by(m, after, w.condition);
	acquire = waits_after(m, after);
	/* A wake is followed by the mutex.  Else a signal handler has run in the wait. */
	if (w.by ||
	    (acquire && m->event[after].op == STEP_NONE && m->event[acquire].op == STEP_ACQ &&
	     m->event[acquire].obj == m->event[w.release].obj))
		w.wake = after;
	return w;
}

static void collect(struct waits_index *x, const struct model *m)
{
	for (uint32_t e = 1; e <= m->n; e++) {
		const struct model_event *v = &m->event[e];

		if (v->op != STEP_PARK && v->op != STEP_NOTIFY)
			continue;
		if (v->obj >= x->nconditions)
			x->nconditions = v->obj + 1;
		if (v->op == STEP_PARK)
			*VEC_PUSH(&x->waits) = wait_make(m, e);
		else
			*VEC_PUSH(&x->signals) = e;
	}
}

static void list_requests(struct waits_index *x, const struct model *m)
{
	for (uint32_t c = 0; c < m->nchains; c++) {
		uint32_t e = chain_last(m, c);
		const struct model_event *v = &m->event[e];

		if ((v->op == STEP_REQ || v->op == STEP_RREQ) && !(v->flags & STEP_TRY))
			*VEC_PUSH(&x->requests) = e;
	}
}

static void sort_waits(struct waits_index *x)
{
	struct waits_wait *sorted = mem_alloc((x->waits.n + 1) * sizeof(*sorted));

	x->wait_start = mem_zalloc(((size_t)x->nconditions + 2) * sizeof(*x->wait_start));
	SORT_BY_KEY(x->wait_start, x->nconditions, i, x->waits.n, x->waits.at[i].condition,
		    sorted[sort_at] = x->waits.at[i]);
	mem_free(x->waits.at);
	x->waits.at = sorted;
	x->waits.capacity = x->waits.n + 1;
}

/* By chain or else by condition; keeps the order of equal ones. */
static void sort_signals(struct waits_index *x, const struct model *m, bool by_chain)
{
	uint32_t nkeys = by_chain ? m->nchains : x->nconditions;
	uint32_t *start = mem_zalloc(((size_t)nkeys + 2) * sizeof(*start));
	uint32_t *sorted = mem_alloc((x->signals.n + 1) * sizeof(*sorted));

	SORT_BY_KEY(start, nkeys, i, x->signals.n,
		    by_chain ? m->event[x->signals.at[i]].chain : m->event[x->signals.at[i]].obj,
		    sorted[sort_at] = x->signals.at[i]);
	MEM_FREE_ALL(x->signals.at, start);
	x->signals.at = sorted;
	x->signals.capacity = x->signals.n + 1;
}

static void list_senders(struct waits_index *x, const struct model *m)
{
	uint32_t condition = UINT32_MAX;

	x->sender_start = mem_zalloc(((size_t)x->nconditions + 2) * sizeof(*x->sender_start));
	for (uint32_t i = 0; i < x->signals.n; i++) {
		const struct model_event *v = &m->event[x->signals.at[i]];

		if (v->obj != condition || v->chain != x->senders.at[x->senders.n - 1].chain) {
			*VEC_PUSH(&x->senders) = (struct waits_sender){ v->chain, i, 0 };
			x->sender_start[v->obj + 1]++;
			condition = v->obj;
		}
		x->senders.at[x->senders.n - 1].n++;
	}
	for (uint32_t k = 0; k < x->nconditions; k++)
		x->sender_start[k + 1] += x->sender_start[k];
}

void waits_index_make(struct waits_index *x, const struct model *m)
{
	*x = (struct waits_index){ 0 };
	collect(x, m);
	sort_waits(x);
	sort_signals(x, m, true);
	sort_signals(x, m, false);
	list_senders(x, m);
	list_requests(x, m);
	x->unexplained = mem_zalloc((size_t)x->nconditions + 1);
	for (size_t i = 0; i < x->waits.n; i++) {
		const struct waits_wait *w = &x->waits.at[i];

		if (!(m->event[w->park].flags & STEP_TRY) && !w->by && waits_after(m, w->park))
			x->unexplained[w->condition] = 1;
	}
}

void waits_index_release(struct waits_index *x)
{
	VEC_RELEASE_ALL(&x->waits, &x->signals, &x->senders, &x->requests);
	MEM_FREE_ALL(x->wait_start, x->sender_start, x->unexplained);
}
