/*
 * The cut, and what is run behind it (gap.h).
 *
 *	C(e)	what must run before e, and e			order/causal.h
 *	S(w)	C(w), and for all that w is made of the same: w stores what it stored
 *
 *	V := t from where it is held to its last event
 *	U := u from where it is held through its part, through all that V needs of it, and on until it holds no
 *	     lock that V takes
 *	N := reads of U and V that must see what they saw, and what flows into what they saw
 *	I := C of what t and u have done before, of what else must come before U and V; S of what N saw outside
 *	repeat: close the sections of I as goal.h does, and those whose lock U or V takes
 *	no if I has some of U or V
 */
#include "predict/gap_priv.h"

#include "order/clock.h"
#include "predict/engine.h"
#include "predict/goal.h"

struct gap *gap_new(const struct model *m, const struct causal *c, bool is_strict)
{
	struct gap *g = mem_zalloc(sizeof(*g));

	*g = (struct gap){ .m = m, .c = c, .is_strict = is_strict };
	g->cut = mem_zalloc((m->nchains + 1) * sizeof(*g->cut));
	g->at = mem_zalloc((m->nchains + 1) * sizeof(*g->at));
	return g;
}

void gap_free(struct gap *g)
{
	if (!g)
		return;
	VEC_RELEASE_ALL(&g->needed, &g->slice, &g->locks);
	MAP_RELEASE_ALL(&g->known, &g->last, &g->same, &g->saw, &g->sliced);
	MEM_FREE_ALL(g->cut, g->at, g);
}

static bool is_in_run(const struct gap *g, const struct gap_run *r, uint32_t e)
{
	const struct model_event *v = &g->m->event[e];

	return e && v->chain == r->chain && v->index >= r->from && v->index < r->to;
}

static bool is_in_runs(const struct gap *g, uint32_t e)
{
	return is_in_run(g, &g->u, e) || is_in_run(g, &g->t, e);
}

/* The runs are of accesses and locks, forks and joins; what counts, tries or wakes is left to others. */
static bool is_plain(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];

	switch ((enum step_op)v->op) {
	case STEP_POST:
	case STEP_TAKE:
	case STEP_ZERO:
	case STEP_BUSY:
	case STEP_OPAQUE:
	case STEP_PARK:
	case STEP_NOTIFY:
		return false;
	case STEP_ACQ:
	case STEP_RACQ:
	case STEP_REL:
	case STEP_RREL:
		if (m->is_loose[v->obj])
			return false;
		break;
	default:
		break;
	}
	return !(v->flags & MODEL_HAS_GUARDS) && model_pairs(m, e).n == 0;
}

static bool is_plain_run(const struct gap *g, const struct gap_run *r)
{
	struct model_list list = model_chain(g->m, r->chain);

	if (r->to <= r->from || r->to - r->from > GAP_RUN)
		return false;
	for (uint32_t i = r->from; i < r->to; i++)
		if (!is_plain(g->m, list.at[i]) ||
		    (g->m->event[list.at[i]].flags & STEP_STOP && list.at[i] != g->t_last &&
		     list.at[i] != g->u_last))
			return false;
	return true;
}

bool gap_is_last(const struct gap *g, uint32_t e)
{
	return g->m->event[e].op == STEP_READ && (e == g->t_last || e == g->u_last);
}

bool gap_binds(const struct gap *g, uint32_t e)
{
	const struct model_event *v = &g->m->event[e];

	if (!model_reads(v) || gap_is_last(g, e))
		return false;
	return g->is_strict || (model_binds(v) && !gap_asks(g, e, e));
}

bool gap_asks(const struct gap *g, uint32_t read, uint32_t at)
{
	return g->tests && is_in_runs(g, read) && model_is_tested(g->m, read, at);
}

/* ---- what must see what it saw ---- */

static void want(struct gap *g, uint32_t read)
{
	bool fresh;

	if (read == 0)
		g->never = true;
	else if (map_put(&g->known, read, &fresh) && fresh)
		*VEC_PUSH(&g->needed) = read;
}

static void want_feeds(struct gap *g, uint32_t e)
{
	for (uint32_t i = g->m->event[e].feed; i < g->m->event[e + 1].feed; i++)
		if (!gap_asks(g, g->m->feeds[i], e))
			want(g, g->m->feeds[i]);
}

/* needed := reads whose value the run depends on, among them those of before it.  Of both: both runs. */
static void find_needed(struct gap *g, bool both)
{
	const struct model *m = g->m;

	VEC_CLEAR(&g->needed);
	map_clear(&g->known);
	for (int k = both ? 0 : 1; k < 2; k++) {
		const struct gap_run *r = k ? &g->t : &g->u;

		for (uint32_t i = r->from; i < r->to; i++) {
			uint32_t e = model_chain(m, r->chain).at[i];

			if (gap_binds(g, e))
				want(g, e);
			if (m->event[e].op == STEP_USE && !g->is_strict)
				want_feeds(g, e);
		}
	}
	for (size_t i = 0; i < g->needed.n && g->needed.n <= GAP_RUN && !g->is_strict; i++) {
		const struct model_event *q = &m->event[g->needed.at[i]];

		for (uint32_t k = q->touch; k < q[1].touch; k++) {
			uint32_t seen = m->touches[k].seen;

			if (is_in_run(g, &g->t, seen) || (both && is_in_run(g, &g->u, seen)))
				want_feeds(g, seen);
		}
	}
	g->never |= g->needed.n > GAP_RUN;
}

/* ---- the runs ---- */

static void note_locks(struct gap *g, const struct gap_run *r)
{
	for (uint32_t i = r->from; i < r->to; i++) {
		uint32_t e = model_chain(g->m, r->chain).at[i];
		const struct model_event *v = &g->m->event[e];

		if (v->op == STEP_ACQ || v->op == STEP_RACQ)
			*VEC_PUSH(&g->locks) =
				(struct gap_lock){ v->obj, v->chain, v->op == STEP_RACQ };
	}
}

/* Some run of another chain than that takes what a hold of the list keeps from it: that hold. */
static uint32_t in_the_way(const struct gap *g, uint32_t chain, uint32_t hold)
{
	for (size_t i = 0; i < g->locks.n && hold; i++) {
		const struct gap_lock *l = &g->locks.at[i];
		uint32_t h;

		/* t runs after u: what u holds is looked at where u ends. */
		if (l->chain == chain || (chain == g->u.chain && l->chain == g->t.chain))
			continue;
		h = model_hold_find(g->m, hold, l->lock, l->shared);
		if (h)
			return h;
	}
	return 0;
}

static bool is_held_against(const struct gap *g, uint32_t hold)
{
	for (size_t i = 0; i < g->locks.n; i++)
		if (model_hold_find(g->m, hold, g->locks.at[i].lock, g->locks.at[i].shared))
			return true;
	return false;
}

static void reach_for(struct gap *g, uint32_t e)
{
	const struct model_event *v = &g->m->event[e];

	if (e && v->chain == g->u.chain && v->index >= g->u.to)
		g->u.to = v->index + 1;
}

/* U goes on as far as V needs it to. */
static bool stretch(struct gap *g, bool frozen)
{
	const struct model *m = g->m;
	uint32_t to = g->u.to, n = model_chain(m, g->u.chain).n;

	find_needed(g, false);
	for (size_t i = 0; i < g->needed.n; i++) {
		const struct model_event *q = &m->event[g->needed.at[i]];

		for (uint32_t k = q->touch; k < q[1].touch; k++)
			reach_for(g, m->touches[k].seen);
	}
	for (uint32_t i = g->t.from; i < g->t.to; i++) {
		struct model_list preds = model_preds(m, model_chain(m, g->t.chain).at[i]);

		for (uint32_t k = 0; k < preds.n; k++)
			reach_for(g, preds.at[k]);
	}
	VEC_CLEAR(&g->locks);
	note_locks(g, &g->t);
	while (is_held_against(g, model_hold_at(m, g->u.chain, g->u.to))) {
		if (g->u.to >= n || frozen)
			return false;
		g->u.to++;
	}
	note_locks(g, &g->u);
	return !frozen || g->u.to == to;
}

/* ---- the cut ---- */

static bool cut_upto(struct gap *g, uint32_t e)
{
	return causal_upto(g->c, e, g->cut);
}

/* S(w). */
static bool cut_slice(struct gap *g, uint32_t w)
{
	const struct model *m = g->m;

	VEC_CLEAR(&g->slice);
	*VEC_PUSH(&g->slice) = w;
	for (size_t i = 0; i < g->slice.n; i++) {
		const struct model_event *v = &m->event[g->slice.at[i]];

		if (i >= GAP_SLICE || !cut_upto(g, g->slice.at[i]))
			return false;
		for (uint32_t f = v->feed; f < v[1].feed && !g->is_strict; f++) {
			const struct model_event *q = &m->event[m->feeds[f]];

			if (m->feeds[f] == 0)
				return false;
			for (uint32_t k = q->touch; k < q[1].touch; k++)
				if (m->touches[k].seen)
					*VEC_PUSH(&g->slice) = m->touches[k].seen;
		}
	}
	return true;
}

static bool cut_start(struct gap *g)
{
	const struct model *m = g->m;

	memset(g->cut, 0, m->nchains * sizeof(*g->cut));
	for (int k = 0; k < 2; k++) {
		const struct gap_run *r = k ? &g->t : &g->u;
		struct model_list list = model_chain(m, r->chain);

		if (r->from > 0 && !cut_upto(g, list.at[r->from - 1]))
			return false;
		for (uint32_t i = r->from; i < r->to; i++) {
			struct model_list preds = model_preds(m, list.at[i]);

			for (uint32_t p = 0; p < preds.n; p++)
				if (!is_in_runs(g, preds.at[p]) && !cut_upto(g, preds.at[p]))
					return false;
		}
	}
	find_needed(g, true);
	for (size_t i = 0; i < g->needed.n && !g->never; i++) {
		uint32_t e = g->needed.at[i];
		const struct model_event *q = &m->event[e];

		for (uint32_t k = q->touch; k < q[1].touch; k++) {
			uint32_t w = m->touches[k].seen;

			if (w && !(is_in_runs(g, e) && is_in_runs(g, w)) && !cut_slice(g, w))
				return false;
		}
	}
	return !g->never;
}

static bool is_within(const struct gap *g)
{
	return g->cut[g->u.chain] <= g->u.from && g->cut[g->t.chain] <= g->t.from;
}

/* Closes what is in the way of the runs.  False: that cannot be. */
static bool cut_clear(struct gap *g, bool *grew)
{
	*grew = false;
	for (uint32_t v = 0; v < g->m->nchains; v++) {
		uint32_t h = in_the_way(g, v, model_hold_at(g->m, v, g->cut[v]));
		uint32_t release = h ? g->m->event[g->m->holds[h].acquire].partner : 0;

		if (!h)
			continue;
		if (!release || !cut_upto(g, release))
			return false;
		*grew = true;
	}
	return true;
}

static bool cut_find(struct gap *g)
{
	bool grew = true;

	if (!cut_start(g))
		return false;
	while (grew)
		if (!is_within(g) || !goal_close(g->m, g->c, g->cut) || !is_within(g) ||
		    !cut_clear(g, &grew))
			return false;
	return is_within(g);
}

static bool reach(struct gap *g, const struct gap_turns *turns, struct exact_order *out)
{
	const struct model_event *u = &g->m->event[turns->u_to], *t = &g->m->event[turns->t_to];

	VEC_CLEAR(&out->observed);
	VEC_CLEAR(&out->ids);
	g->never = false;
	g->u = (struct gap_run){ u->chain, turns->u_at, u->index + 1 };
	g->t = (struct gap_run){ t->chain, turns->t_at, t->index + 1 };
	g->t_last = turns->t_to;
	g->u_last = turns->frozen ? turns->u_to : 0;
	if (g->t.from >= g->t.to || g->u.from >= g->u.to || g->t.to - g->t.from > GAP_RUN ||
	    !stretch(g, turns->frozen) || g->never || !is_plain_run(g, &g->t) ||
	    !is_plain_run(g, &g->u) || !cut_find(g) || !gap_runs(g))
		return false;
	exact_order_observe(out, g->m, g->cut);
	for (int k = 0; k < 2; k++) {
		const struct gap_run *r = k ? &g->t : &g->u;

		for (uint32_t i = r->from; i < r->to; i++)
			*VEC_PUSH(&out->ids) = model_chain(g->m, r->chain).at[i];
	}
	return true;
}

bool gap_reach(struct gap *g, const struct gap_turns *turns, struct exact_order *out)
{
	g->tests = false;
	if (reach(g, turns, out))
		return true;
	g->tests = !g->is_strict && g->m->tests.n > 0;
	return g->tests && reach(g, turns, out);
}

void gap_ends(const struct gap *g, uint32_t ends[2])
{
	ends[0] = model_chain(g->m, g->u.chain).at[g->u.to - 1];
	ends[1] = model_chain(g->m, g->t.chain).at[g->t.to - 1];
}
