/*
 * Questions about the order that was found last, and one change to it.
 *
 * An order is a prefix of each chain, run as observed, and then events one by one.
 */

#include "predict/waits_priv.h"

#define MOVE_MAX 65536u /* events that are listed one by one for the sake of a move */

void waits_order_note(struct waits *s)
{
	map_clear(&s->at);
	for (size_t i = 0; i < s->order.ids.n; i++)
		*map_put(&s->at, s->order.ids.at[i], NULL) = i + 1;
}

/* When the event comes in s->order; UINT64_MAX: never. */
static uint64_t time_of(const struct waits *s, uint32_t e)
{
	const uint64_t *at;

	if (s->order.observed.n && model_is_in(s->m, e, s->order.observed.at))
		return e;
	at = map_get(&s->at, e);
	return at ? s->m->n + *at : UINT64_MAX;
}

bool waits_is_in(const struct waits *s, uint32_t e)
{
	return time_of(s, e) != UINT64_MAX;
}

bool waits_is_unheard(const struct waits *s, uint32_t signal)
{
	const struct waits_index *x = &s->index;
	uint32_t condition = s->m->event[signal].obj;
	uint64_t sent = time_of(s, signal);

	for (uint32_t i = x->wait_start[condition]; i < x->wait_start[condition + 1]; i++) {
		const struct waits_wait *w = &x->waits.at[i];

		if (time_of(s, w->release) < sent && (!w->wake || time_of(s, w->wake) > sent))
			return false;
	}
	return true;
}

/* ---- a wait that has begun ---- */

/* Each sender's signals come in the order they have in the trace, so the last that is in counts. */
static bool is_after_all(const struct waits *s, const struct waits_wait *w)
{
	const struct waits_sender *from = waits_senders(&s->index, w->condition);
	uint64_t begun = time_of(s, w->release);

	for (; from < waits_senders(&s->index, w->condition + 1); from++) {
		const uint32_t *at = s->index.signals.at + from->first;
		uint32_t past = SEARCH_PAST(k, 0, from->n, waits_is_in(s, at[k]));

		if (past > 0 && time_of(s, at[past - 1]) > begun)
			return false;
	}
	return true;
}

/* Observed events from e on are run one by one.  False: too many. */
static bool observed_split(struct waits *s, uint32_t e)
{
	struct exact_order *o = &s->order, parts = { 0 };
	const struct model *m = s->m;
	uint32_t last = e;

	for (uint32_t v = 0; v < m->nchains; v++) {
		struct model_list chain = model_chain(m, v);
		uint32_t n = o->observed.at[v];

		if (n > 0 && chain.at[n - 1] > last)
			last = chain.at[n - 1];
	}
	if (last - e >= MOVE_MAX)
		return false;
	for (uint32_t i = e; i <= last; i++)
		if (model_is_in(m, i, o->observed.at))
			*VEC_PUSH(&parts.ids) = i;
	VEC_APPEND(&parts.ids, o->ids.at, o->ids.n);
	for (uint32_t v = 0; v < m->nchains; v++) {
		struct model_list chain = model_chain(m, v);
		uint32_t n = waits_count_before(chain.at, chain.n, e);

		*VEC_PUSH(&parts.observed) = n < o->observed.at[v] ? n : o->observed.at[v];
	}
	exact_order_release(o);
	*o = parts;
	return true;
}

/* Of the events that run one by one, the wait begins right before its mutex is taken again. */
static void wait_delay(struct exact_order *o, const struct model *m, const struct waits_wait *w)
{
	uint32_t mutex = m->event[w->release].obj;
	bool begun = false, moved = false;
	struct exact_order out = { 0 };

	for (size_t i = 0; i <= o->ids.n; i++) {
		uint32_t e = i < o->ids.n ? o->ids.at[i] : 0;
		const struct model_event *v = &m->event[e];

		begun |= e == w->release;
		if (begun && !moved &&
		    (e == 0 || (v->obj == mutex && (v->op == STEP_ACQ || v->op == STEP_RACQ)))) {
			*VEC_PUSH(&out.ids) = w->release;
			*VEC_PUSH(&out.ids) = w->park;
			moved = true;
		}
		if (e != 0 && e != w->release && e != w->park)
			*VEC_PUSH(&out.ids) = e;
	}
	VEC_SWAP(&o->ids, &out.ids);
	exact_order_release(&out);
}

/*
 * Nothing waits for the release but acquires of the mutex, and nothing at all for the park: its
 * thread does no more.  So both can come later, up to the first of those.  Signals that are sent
 * after that one, in this order, stay after the wait; another order is not looked for.
 */
bool waits_is_quiet(struct waits *s, const struct waits_wait *w)
{
	const struct exact_order *o = &s->order;
	uint32_t next = waits_after(s->m, w->park);

	assert(waits_is_in(s, w->park) && !(next && waits_is_in(s, next)));
	if (is_after_all(s, w))
		return true;
	if (o->observed.n && model_is_in(s->m, w->release, o->observed.at) &&
	    !observed_split(s, w->release))
		return false;
	wait_delay(&s->order, s->m, w);
	waits_order_note(s);
	return is_after_all(s, w);
}
