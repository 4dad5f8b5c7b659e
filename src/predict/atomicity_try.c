/*
 * Is there a reordering with a before b and d before c?
 *
 * It may be cut behind its last event of the four.  A read that decides something may see anything as
 * the last event of its thread, and then nothing else depends on it; so the searches look for a
 * reordering after which such an event is next, and it runs at the end.
 *
 *	next d, c	done b, a before b	then d, c run
 *	next c		done d, a before b	then c runs
 *
 * (Of a triple b is d, and is not done in the first.)  A read-modify-write must see what it saw, so it
 * cannot be last in this sense, unless it is free.  If c is one:
 *
 *	next -		done d, c; a before b, d before c
 *	next d		done c, a before b, what precedes d before c	d runs right before c
 *
 * Of X, where d comes before b in their thread:
 *
 *	next b, c				then b, c run
 *	next c		done b, a before b	then c runs
 *	next b		done c, d before c	then b runs
 *	next -		done b, c; a before b, d before c	if b or c is such a read-modify-write
 *
 * One of them is reached iff there is such a reordering (tests/unit/test_atomicity_random.c).
 */
#include "predict/atomicity_priv.h"
#include "predict/gap.h"
#include "predict/osr.h"

struct aim {
	struct goal goal;
	uint32_t next[2], done[4];
	struct goal_pair before[2];
	uint32_t inside; /* runs right before c, which is done; 0 none */
};

#define AIMS 4u

struct aims {
	struct aim at[AIMS];
	uint32_t n;
};

static struct aim *aim_add(struct aims *s)
{
	struct aim *a = &s->at[s->n++];

	*a = (struct aim){ .inside = 0 };
	a->goal = (struct goal){ .next = a->next, .done = a->done, .before = a->before };
	return a;
}

static void aim_next(struct aim *a, uint32_t e)
{
	a->next[a->goal.nnext++] = e;
}

static void aim_done(struct aim *a, uint32_t e)
{
	a->done[a->goal.ndone++] = e;
}

static void aim_before(struct aim *a, uint32_t first, uint32_t then)
{
	a->before[a->goal.nbefore++] = (struct goal_pair){ first, then };
	aim_done(a, first);
	aim_done(a, then);
}

/* What its thread, or its parent, does just before it; 0 nothing. */
static uint32_t event_before(const struct model *m, uint32_t e)
{
	const struct model_event *v = &m->event[e];
	struct model_list preds;

	if (v->index > 0)
		return model_chain(m, v->chain).at[v->index - 1];
	preds = model_preds(m, e);
	return preds.n > 0 ? preds.at[0] : 0;
}

/* d is the last event of its thread, just before c. */
static void aim_inside(struct aims *s, const struct model *m, const struct atomicity_tuple *t)
{
	struct aim *a = aim_add(s);
	uint32_t before = event_before(m, t->d);

	aim_next(a, t->d);
	a->inside = t->d;
	if (t->b != t->d)
		aim_before(a, t->a, t->b);
	if (before)
		aim_before(a, before, t->c);
	else
		aim_done(a, t->c);
}

/* S, and triples. */
static void aims_sandwich(const struct atomicity *x, const struct atomicity_tuple *t,
			  struct aims *s)
{
	bool c_tied = atomicity_is_tied(x, t->c), d_tied = atomicity_is_tied(x, t->d);
	struct aim *a;

	if (!c_tied && !d_tied) {
		a = aim_add(s);
		aim_next(a, t->d);
		aim_next(a, t->c);
		if (t->b != t->d)
			aim_before(a, t->a, t->b);
	}
	a = aim_add(s);
	aim_before(a, t->a, t->b);
	aim_done(a, t->d);
	if (!c_tied) {
		aim_next(a, t->c);
		return;
	}
	a->goal.ndone--;
	aim_before(a, t->d, t->c);
	if (x->m->event[t->d].op == STEP_READ)
		aim_inside(s, x->m, t);
}

static void aims_cross(const struct atomicity *x, const struct atomicity_tuple *t, struct aims *s)
{
	bool b_tied = atomicity_is_tied(x, t->b), c_tied = atomicity_is_tied(x, t->c);
	struct aim *a;

	if (!b_tied && !c_tied) {
		a = aim_add(s);
		aim_next(a, t->b);
		aim_next(a, t->c);
	}
	if (!c_tied) {
		a = aim_add(s);
		aim_before(a, t->a, t->b);
		aim_next(a, t->c);
	}
	if (b_tied || c_tied) {
		a = aim_add(s);
		aim_before(a, t->a, t->b);
		aim_before(a, t->d, t->c);
	}
	if (!b_tied) {
		a = aim_add(s);
		aim_before(a, t->d, t->c);
		aim_next(a, t->b);
	}
}

/* ---- what was found, with its last events ---- */

/* As a list alone, in which d comes right before c and nothing after that. */
static void order_inside(const struct model *m, uint32_t d, uint32_t c, struct exact_order *o)
{
	VEC(uint32_t) ids = { 0 };

	for (uint32_t e = 1; o->observed.n > 0 && e <= m->n; e++)
		if (model_is_in(m, e, o->observed.at))
			*VEC_PUSH(&ids) = e;
	VEC_APPEND(&ids, o->ids.at, o->ids.n);
	VEC_CLEAR(&o->observed);
	VEC_CLEAR(&o->ids);
	for (size_t i = 0; i < ids.n && ids.at[i] != c; i++)
		*VEC_PUSH(&o->ids) = ids.at[i];
	*VEC_PUSH(&o->ids) = d;
	*VEC_PUSH(&o->ids) = c;
	VEC_RELEASE(&ids);
}

static void order_finish(const struct model *m, const struct aim *a,
			 const struct atomicity_tuple *t, struct exact_order *o)
{
	if (a->inside) {
		order_inside(m, a->inside, t->c, o);
		return;
	}
	for (uint32_t i = 0; i < a->goal.nnext; i++)
		*VEC_PUSH(&o->ids) = a->next[i];
}

/* ---- what cannot come last ---- */

/* Where the order has the event; those of its observed part have their ids.  0: nowhere. */
static uint64_t when(const struct model *m, const struct exact_order *o, uint32_t e)
{
	if (e && o->observed.n > 0 && model_is_in(m, e, o->observed.at))
		return e;
	for (size_t i = o->ids.n; e && i > 0; i--)
		if (o->ids.at[i - 1] == e)
			return m->n + i;
	return 0;
}

static bool is_write(const struct model *m, uint32_t e, uint32_t read)
{
	const struct model_event *v = &m->event[e];

	return v->chain != m->event[read].chain && model_writes(v) && model_shares_cell(m, e, read);
}

/* Another thread writes what the read saw, between two places of the order. */
static bool is_written(const struct model *m, const struct exact_order *o, uint32_t read,
		       uint64_t from, uint64_t to)
{
	const struct model_event *r = &m->event[read];

	for (uint32_t k = r->touch; o->observed.n > 0 && from <= m->n && k < r[1].touch; k++) {
		struct model_list l = model_cell(m, m->touches[k].cell);

		for (uint32_t i = SEARCH_PAST(j, 0, l.n, l.at[j] <= from); i < l.n; i++)
			if (l.at[i] < to && model_is_in(m, l.at[i], o->observed.at) &&
			    is_write(m, l.at[i], read))
				return true;
	}
	for (size_t i = from > m->n ? from - m->n : 0; i < o->ids.n && m->n + i + 1 < to; i++)
		if (is_write(m, o->ids.at[i], read))
			return true;
	return false;
}

bool atomicity_is_written(const struct model *m, const struct exact_order *o, uint32_t read,
			  uint32_t to)
{
	return is_written(m, o, read, when(m, o, read), when(m, o, to));
}

/* Its thread repeats reads there that are not all recorded, and another one writes what they see.  The
 * searches see to that of all that they put in order, but not of what runs at the end. */
static bool is_overwritten(const struct atomicity *x, const struct exact_order *o, uint32_t e)
{
	const struct model *m = x->m;
	const struct model_event *v = &m->event[e];
	struct model_stays stays = model_stays(m, v->chain, v->index);
	struct model_list chain = model_chain(m, v->chain);
	uint64_t to = stays.n > 0 ? when(m, o, e) : 0;

	for (uint32_t i = 0; i < stays.n && stays.at[i].epoch <= v->index; i++) {
		const struct model_stay *s = &stays.at[i];
		uint32_t first = s->first > 0 ? chain.at[s->first - 1] : 0;

		if (s->first <= v->index &&
		    ((!x->opt->strict && model_stay_is_fed(m, v->chain, s)) ||
		     is_written(m, o, s->id, when(m, o, first), to)))
			return true;
	}
	return false;
}

static bool order_holds(const struct atomicity *x, const struct aim *a,
			const struct atomicity_tuple *t, const struct exact_order *o)
{
	if (atomicity_is_noticed(x, t, o))
		return false;
	for (uint32_t i = 0; i < a->goal.nnext; i++)
		if (is_overwritten(x, o, a->next[i]))
			return false;
	return true;
}

/* ---- the stages ---- */

typedef enum goal_outcome reach_fn(void *search, const struct goal *g, struct exact_order *out);

/* In observed order. */
static enum goal_outcome reach_sp(void *search, const struct goal *g, struct exact_order *out)
{
	const struct atomicity *x = search;
	bool can = true;

	for (uint32_t i = 0; i < g->nbefore; i++)
		can &= g->before[i].first < g->before[i].then;
	if (can && goal_reach(g, x->m, x->c, exact_order_clear(out, x->m)) &&
	    (!x->strict || !exact_order_misses(x->m, out)))
		return GOAL_FOUND;
	VEC_CLEAR(&out->observed);
	return GOAL_SEARCHED;
}

static enum goal_outcome reach_osr(void *search, const struct goal *g, struct exact_order *out)
{
	return osr_reach(search, g, out);
}

static enum goal_outcome reach_tests(void *search, const struct goal *g, struct exact_order *out)
{
	return osr_reach_tests(search, g, out);
}

static enum goal_outcome reach_exact(void *search, const struct goal *g, struct exact_order *out)
{
	return exact_reach(search, g, out);
}

uint32_t atomicity_end(const struct atomicity_tuple *t)
{
	uint32_t d = t->b > t->d ? t->b : t->d, c = t->a > t->c ? t->a : t->c;

	return d > c ? d : c;
}

/* The earliest first: the checker walks all that comes before. */
static int by_last(const void *a, const void *b)
{
	return SORT_ORDER(atomicity_end(a), atomicity_end(b))
		       ?: memcmp(a, b, sizeof(struct atomicity_tuple));
}

/* One pattern of the group after the other; g->found. */
static enum goal_outcome stage(const struct atomicity *x, struct atomicity_group *g,
			       reach_fn *reach, void *search, struct exact_order *out)
{
	enum goal_outcome worst = g->complete && !x->some ? GOAL_REFUTED : GOAL_SEARCHED;

	for (uint32_t i = 0; i < g->n; i++) {
		struct aims s = { .n = 0 };

		if (atomicity_is_cross(x->m, &g->at[i]))
			aims_cross(x, &g->at[i], &s);
		else
			aims_sandwich(x, &g->at[i], &s);
		for (uint32_t k = 0; k < s.n; k++) {
			enum goal_outcome one = reach(search, &s.at[k].goal, out);

			if (one == GOAL_FOUND) {
				order_finish(x->m, &s.at[k], &g->at[i], out);
				g->found = i;
				if (order_holds(x, &s.at[k], &g->at[i], out))
					return one;
				one = GOAL_SEARCHED;
			}
			worst = one > worst ? one : worst;
		}
		if (worst == GOAL_UNDECIDED)
			break;
	}
	return worst;
}

/* Of the group, one pattern after the other, those that show when two threads take turns. */
static enum goal_outcome gaps(const struct atomicity *x, struct atomicity_group *g, struct gap *gap,
			      struct exact_order *out)
{
	for (uint32_t i = 0; i < g->n && !engine_stopped(x->opt); i++) {
		uint32_t ends[2];

		if (atomicity_gap(x, gap, &g->at[i], out) != GOAL_FOUND)
			continue;
		gap_ends(gap, ends);
		g->found = i;
		if (!is_overwritten(x, out, ends[0]) && !is_overwritten(x, out, ends[1]) &&
		    !atomicity_is_noticed(x, &g->at[i], out))
			return GOAL_FOUND;
	}
	return GOAL_SEARCHED;
}

void atomicity_try(void *arg, size_t i, unsigned worker)
{
	struct atomicity *x = arg;
	struct atomicity_hand *h = &x->hands[worker];
	struct atomicity_group *g = &x->groups.at[x->first + i];
	struct exact_order *out = &x->orders[i];

	g->outcome = GOAL_UNDECIDED;
	if (engine_stopped(x->opt))
		return;
	if (x->strict && !h->strict)
		h->strict = osr_new(x->m, x->strict, true, x->opt->budget);
	if (!h->osr) {
		h->osr = osr_new(x->m, x->c, !x->strict, x->opt->budget);
		if (!x->opt->values) /* must is not what it has to be */
			osr_use_tests(h->osr, x->must);
	}
	if (!h->gap)
		h->gap = gap_new(x->m, x->c, !x->strict);
	if (!h->exact) {
		h->exact = exact_new(x->m, x->tight, x->opt);
		exact_use_tests(h->exact, x->must);
	}
	qsort(g->at, g->n, sizeof(*g->at), by_last);
	if (x->engine == &engine_gap) {
		g->outcome = gaps(x, g, h->gap, out);
		return;
	}
	if (x->engine == &engine_atomicity_sp) {
		g->outcome = stage(x, g, reach_sp, x, out);
		return;
	}
	if (h->strict)
		g->outcome = stage(x, g, reach_osr, h->strict, out);
	if (g->outcome != GOAL_FOUND)
		g->outcome = stage(x, g, reach_osr, h->osr, out);
	if (g->outcome != GOAL_FOUND && x->engine != &engine_atomicity_osr)
		g->outcome = gaps(x, g, h->gap, out);
	if (g->outcome != GOAL_FOUND && x->m->tests.n > 0)
		g->outcome = stage(x, g, reach_tests, h->osr, out);
	if (x->engine == &engine_atomicity_osr)
		return;
	if (g->outcome != GOAL_FOUND)
		g->outcome = stage(x, g, reach_exact, h->exact, out);
}
