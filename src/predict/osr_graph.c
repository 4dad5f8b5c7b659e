/*
 * Is there an order of the events I in which the moved sections come last of their locks?
 *
 * The graph (Shi, Mathur and Pavlogiannis, ICSE 2024) has these edges, for needed reads r (all
 * reads by the strict rules), w the write that r saw, w' another write of the cell:
 *
 *	program order, hard edges, guards	forward in the trace
 *	w -> r,  w' -> w if w' is earlier,  r -> w' if w' is later		forward
 *	the same of the last event of a chain that may follow unrecorded reads	forward
 *	release -> later acquire of the lock, both sections closed		forward
 *	release -> acquire of an open section					both ways
 *	first -> then, which the goal wants in this order			both ways
 *
 * Only the last two kinds can go back in the trace, and then they lead to a moved section, or to
 * a `then', which is taken for one here.  So a cycle
 * goes through moved sections, and between them forward; it is enough to know which moved
 * sections lead to which releases.  One sweep in trace order finds that for all of them at
 * once: an event has a mask, the moved sections from which a forward path leads to it.
 *
 *	mask(e) = masks of its chain so far, hard edges
 *		| needed read: mask of w
 *		| write: masks of earlier needed reads of the cell; if a needed read sees it, of
 *		  earlier writes as well
 *		| acquire: masks of earlier releases it excludes
 *
 * Section i must come after the sections in the masks of releases of its lock.  If that relation
 * has a cycle the graph has one, and the other way round: a forward path from one section to the
 * next is in the masks already.  If not, number the sections in an order that agrees with it
 * and let the events of mask 0 run first, then those whose highest number is 1, then 2, and so on,
 * each group in trace order:  forward edges never lead to a lower number, and a release that
 * leads back to section i has only numbers below that of i.
 *
 * Before the first moved section all masks are 0, so the sweep begins there.
 *
 * A read is needed if it binds or feeds something whose value is needed; a sweep backward
 * finds those.  With osr_reach_tests one that is only compared is not: what it sees is a matter of the order that is
 * found, and no edge can say "a write by which it comes out the same".
 */
#include "predict/osr_priv.h"

/* Event at decides by comparing what the read saw: whether it still does is asked of the order that is found. */
static bool is_left_open(const struct osr *o, uint32_t read, uint32_t at)
{
	return o->tests && read && model_is_tested(o->m, read, at);
}

static void need_feeds(struct osr *o, uint32_t e)
{
	for (uint32_t i = o->m->event[e].feed; i < o->m->event[e + 1].feed; i++)
		if (o->m->feeds[i] >= o->low && !is_left_open(o, o->m->feeds[i], e))
			o->need.at[o->m->feeds[i] - o->low] = 1;
}

/* A needed read sees the cell as write w left it. */
static void need_write(struct osr *o, uint32_t w, uint32_t cell)
{
	const struct model_event *v = &o->m->event[w];

	if (w < o->low)
		return;
	if (!o->is_strict)
		need_feeds(o, w);
	for (uint32_t i = v->touch; i < v[1].touch; i++)
		if (o->m->touches[i].cell == cell)
			o->read.at[i - o->m->event[o->low].touch] = 1;
}

static void mark_needed(struct osr *o)
{
	const struct model *m = o->m;
	size_t events = o->high - o->low + 1;
	size_t touches = m->event[o->high + 1].touch - m->event[o->low].touch;

	VEC_RESERVE(&o->need, events);
	VEC_RESERVE(&o->read, touches + 1);
	memset(o->need.at, 0, events);
	memset(o->read.at, 0, touches + 1);
	for (uint32_t e = o->high; e >= o->low; e--) {
		const struct model_event *v = &m->event[e];

		if (v->index >= o->cut[v->chain])
			continue;
		if (v->op == STEP_USE && !o->is_strict)
			need_feeds(o, e);
		if (!model_reads(v))
			continue;
		if (o->is_strict || (model_binds(v) && !is_left_open(o, e, e)))
			o->need.at[e - o->low] = 1;
		for (uint32_t i = v->touch; o->need.at[e - o->low] && i < v[1].touch; i++)
			need_write(o, m->touches[i].seen, m->touches[i].cell);
	}
}

static struct osr_cell *cell_at(struct osr *o, uint32_t cell)
{
	struct osr_cell *c = &o->cells[cell];

	if (c->stamp != o->stamp)
		*c = (struct osr_cell){ .stamp = o->stamp };
	return c;
}

static struct osr_lock *lock_at(struct osr *o, uint32_t lock)
{
	struct osr_lock *l = &o->locks[lock];

	if (l->stamp != o->stamp)
		*l = (struct osr_lock){ .stamp = o->stamp };
	return l;
}

/* The mask of an event that the sweep has passed. */
static osr_mask mask_of(const struct osr *o, uint32_t e)
{
	const struct model_event *v = &o->m->event[e];

	for (uint32_t i = o->chain_change[v->chain]; i; i = o->changes.at[i - 1].prev)
		if (o->changes.at[i - 1].index <= v->index)
			return o->changes.at[i - 1].mask;
	return 0;
}

static osr_mask mask_of_guards(const struct osr *o, uint32_t to)
{
	const struct model *m = o->m;
	uint32_t i = SEARCH_PAST(k, 0, m->nguards, o->guards[k].to < to);
	osr_mask mask = 0;

	for (; i < m->nguards && o->guards[i].to == to; i++) {
		const struct model_guard *g = &o->guards[i];

		if (g->from < to && model_is_in(m, g->when, o->cut) &&
		    model_is_in(m, g->from, o->cut))
			mask |= mask_of(o, g->from);
	}
	return mask;
}

static osr_mask mask_of_edges(const struct osr *o, uint32_t e)
{
	const struct model_event *v = &o->m->event[e];
	osr_mask mask = 0;

	if (v->flags & MODEL_HAS_PREDS) {
		struct model_list preds = model_preds(o->m, e), pairs = model_pairs(o->m, e);

		for (uint32_t i = 0; i < preds.n; i++)
			mask |= mask_of(o, preds.at[i]);
		for (uint32_t i = 0; i < pairs.n; i++)
			mask |= mask_of(o, pairs.at[i]);
	}
	if (v->flags & MODEL_HAS_GUARDS)
		mask |= mask_of_guards(o, e);
	return mask;
}

/* Of what the goal wants before it, where the trace has that before it, too. */
static osr_mask mask_of_goal(const struct osr *o, uint32_t e)
{
	osr_mask mask = 0;

	for (uint32_t i = 0; i < o->goal->nbefore; i++)
		if (o->goal->before[i].then == e && o->goal->before[i].first < e)
			mask |= mask_of(o, o->goal->before[i].first);
	return mask;
}

/* What the goal wants after it, though the trace has it before, comes after all in the mask.  False:
 * that comes before it. */
static bool note_goal(struct osr *o, uint32_t e, osr_mask mask)
{
	for (uint32_t i = 0; i < o->goal->nbefore; i++) {
		const struct goal_pair *p = &o->goal->before[i];
		uint32_t bit = 0;

		if (p->first != e || p->then > e)
			continue;
		while (o->moved.at[bit] != p->then)
			bit++;
		if (mask >> bit & 1)
			return false;
		o->after[bit] |= mask;
	}
	return true;
}

static osr_mask mask_of_access(struct osr *o, uint32_t e, bool needed)
{
	const struct model_event *v = &o->m->event[e];
	uint32_t first = o->m->event[o->low].touch;
	bool writes = model_writes(v);
	osr_mask mask = 0;

	for (uint32_t i = v->touch; i < v[1].touch; i++) {
		const struct osr_cell *c = cell_at(o, o->m->touches[i].cell);

		if (needed)
			mask |= c->last;
		if (writes)
			mask |= c->readers | (o->read.at[i - first] ? c->writers : 0);
	}
	return mask;
}

static void note_access(struct osr *o, uint32_t e, bool needed, osr_mask mask)
{
	const struct model_event *v = &o->m->event[e];
	bool writes = model_writes(v);

	for (uint32_t i = v->touch; i < v[1].touch; i++) {
		struct osr_cell *c = cell_at(o, o->m->touches[i].cell);

		if (needed)
			c->readers |= mask;
		if (writes) {
			c->last = mask;
			c->writers |= mask;
		}
	}
}

/* The last event of its chain: it may follow reads that are in no record. */
static void note_last(struct osr *o, const struct model_event *v, osr_mask mask)
{
	struct model_stays stays = model_stays(o->m, v->chain, v->index);

	for (uint32_t i = 0; i < stays.n && stays.at[i].epoch <= v->index; i++) {
		const struct model_event *r = &o->m->event[stays.at[i].id];

		for (uint32_t k = r->touch; stays.at[i].first <= v->index && k < r[1].touch; k++)
			cell_at(o, o->m->touches[k].cell)->readers |= mask;
	}
}

/* Releases lead to the moved sections that they exclude.  False: to one they come after. */
static bool note_release(struct osr *o, const struct model_event *v, osr_mask mask)
{
	struct osr_lock *l = lock_at(o, v->obj);
	bool shared = v->op == STEP_RREL;
	osr_mask moved = l->moved[0] | (shared ? 0 : l->moved[1]);

	l->ended[shared] |= mask;
	if (moved & mask)
		return false;
	for (; moved; moved &= moved - 1)
		o->after[__builtin_ctzll(moved)] |= mask;
	return true;
}

static void note_event(struct osr *o, uint32_t e, const struct model_event *v, osr_mask mask)
{
	if (mask != o->chain_mask[v->chain]) {
		*VEC_PUSH(&o->changes) = (struct osr_change){ .index = v->index,
							      .prev = o->chain_change[v->chain],
							      .mask = mask };
		o->chain_change[v->chain] = (uint32_t)o->changes.n;
		o->chain_mask[v->chain] = mask;
	}
	*VEC_PUSH(&o->reached) = (struct osr_event){ e, mask };
}

/* One event of the sweep; *next: the next moved section to come.  False: a cycle. */
static bool sweep_event(struct osr *o, uint32_t e, uint32_t *next)
{
	const struct model_event *v = &o->m->event[e];
	bool access = model_reads(v) || model_writes(v);
	bool releases = v->op == STEP_REL || v->op == STEP_RREL ||
			(v->op == STEP_ACQ && (v->flags & STEP_RENEWS));
	bool needed = access && o->need.at[e - o->low];
	osr_mask mask = o->chain_mask[v->chain];

	if (v->flags & (MODEL_HAS_PREDS | MODEL_HAS_GUARDS))
		mask |= mask_of_edges(o, e);
	if (access)
		mask |= mask_of_access(o, e, needed) | mask_of_goal(o, e);
	if (v->op == STEP_ACQ || v->op == STEP_RACQ) {
		const struct osr_lock *l = lock_at(o, v->obj);

		mask |= l->ended[0] | (v->op == STEP_ACQ ? l->ended[1] : 0);
	}
	if (*next < o->moved.n && o->moved.at[*next] == e)
		mask |= (osr_mask)1 << (*next)++;
	if (access)
		note_access(o, e, needed, mask);
	if (mask == 0)
		return true;
	if (v->index + 1 == o->cut[v->chain])
		note_last(o, v, mask);
	note_event(o, e, v, mask);
	return note_goal(o, e, mask) && (!releases || note_release(o, v, mask));
}

static bool sweep(struct osr *o)
{
	const struct model *m = o->m;
	uint32_t next = 0;

	o->stamp++;
	VEC_CLEAR(&o->changes);
	VEC_CLEAR(&o->reached);
	memset(o->chain_mask, 0, m->nchains * sizeof(*o->chain_mask));
	memset(o->chain_change, 0, m->nchains * sizeof(*o->chain_change));
	memset(o->after, 0, sizeof(o->after));
	for (size_t i = 0; i < o->moved.n; i++) {
		const struct model_event *a = &m->event[o->moved.at[i]];

		if (a->op == STEP_ACQ || a->op == STEP_RACQ)
			lock_at(o, a->obj)->moved[a->op == STEP_RACQ] |= (osr_mask)1 << i;
	}
	for (uint32_t e = o->low; e <= o->high; e++)
		if (model_is_in(m, e, o->cut) && !sweep_event(o, e, &next))
			return false;
	assert(next == o->moved.n);
	return true;
}

/* rank[i] := 1 + how many sections come before section i.  False: a cycle. */
static bool number_sections(const struct osr *o, uint8_t *rank)
{
	uint8_t n = (uint8_t)o->moved.n;
	osr_mask done = 0;

	assert(o->moved.n <= OSR_MOVED);
	for (uint8_t k = 1; k <= n; k++) {
		uint8_t i = 0;

		while (i < n && (done >> i & 1 || (o->after[i] & ~done)))
			i++;
		if (i == n)
			return false;
		rank[i] = k;
		done |= (osr_mask)1 << i;
	}
	return true;
}

static uint8_t highest_rank(osr_mask mask, const uint8_t *rank)
{
	uint8_t highest = 0;

	for (; mask; mask &= mask - 1) {
		uint8_t k = rank[__builtin_ctzll(mask)];

		highest = k > highest ? k : highest;
	}
	return highest;
}

/* Events of mask 0 in observed order, then the groups. */
static void emit(const struct osr *o, const uint8_t *rank, struct exact_order *out)
{
	size_t start[OSR_MOVED + 2] = { 0 };

	exact_order_observe(out, o->m, o->cut);
	for (size_t i = 0; i < o->reached.n; i++) {
		const struct model_event *v = &o->m->event[o->reached.at[i].id];

		if (out->observed.at[v->chain] > v->index)
			out->observed.at[v->chain] = v->index;
		start[highest_rank(o->reached.at[i].mask, rank) + 1]++;
	}
	for (size_t k = 1; k < OSR_MOVED + 2; k++)
		start[k] += start[k - 1];
	VEC_RESERVE(&out->ids, o->reached.n + 1);
	out->ids.n = o->reached.n;
	for (size_t i = 0; i < o->reached.n; i++)
		out->ids.at[start[highest_rank(o->reached.at[i].mask, rank)]++] =
			o->reached.at[i].id;
}

bool osr_graph(struct osr *o, struct exact_order *out)
{
	uint8_t rank[OSR_MOVED];

	mark_needed(o);
	if (!sweep(o) || !number_sections(o, rank))
		return false;
	emit(o, rank, out);
	return true;
}
