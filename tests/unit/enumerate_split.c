/* Reorderings with accesses in a certain order, and all orders one by one. */
#include "enumerate_priv.h"

/* The next event of the thread, unless another one has to come first. */
static int split_next(const struct enumeration *x, const struct state *s, const struct split *p,
		      int thread)
{
	int e = enumeration_next(x, s, thread);

	if ((e == p->b && !enumeration_has(x, s, p->a)) ||
	    (e == p->c && !enumeration_has(x, s, p->d)))
		return TINY_NONE;
	return e;
}

static bool split_is_done(const struct enumeration *x, const struct state *s, const struct split *p)
{
	return enumeration_has(x, s, p->a) && enumeration_has(x, s, p->b) &&
	       enumeration_has(x, s, p->c) && enumeration_has(x, s, p->d);
}

static uint32_t split_relax(const struct split *p)
{
	return 1u << p->a | 1u << p->b | 1u << p->c | 1u << p->d;
}

bool enumerate_split(const struct tiny *t, const struct split *p, struct enumerate_mode mode)
{
	struct state s;
	struct enumeration *x = enumeration_begin(t, mode, split_relax(p), &s);
	bool found = false;

	for (uint32_t i = 0; i < x->n && !found; i++) {
		found = split_is_done(x, &x->nodes[i].state, p);
		for (int u = 0; u < t->nthreads && !found; u++) {
			int e;

			s = x->nodes[i].state;
			e = split_next(x, &s, p, u);
			if (e != TINY_NONE && enumeration_step(x, &s, e))
				enumeration_reach(x, &s, (int)i, e);
		}
	}
	enumeration_free(x);
	return found;
}

bool enumerate_split_order(const struct tiny *t, const struct split *p, const int *order, int n,
			   struct enumerate_mode mode)
{
	struct state s;
	struct enumeration *x = enumeration_begin(t, mode, split_relax(p), &s);
	bool good = true;

	for (int i = 0; i < n && good; i++)
		good = split_next(x, &s, p, t->at[order[i]].thread) == order[i] &&
		       enumeration_step(x, &s, order[i]);
	good = good && split_is_done(x, &s, p);
	enumeration_free(x);
	return good;
}

/* ---- all orders ---- */

struct walk {
	const struct enumeration *x;
	enumerate_visit *visit;
	void *arg;
	int order[TINY_EVENTS];
};

static bool walk(struct walk *w, const struct state *from, int n)
{
	for (int u = 0; u < w->x->t->nthreads; u++) {
		struct state s = *from;
		int e = enumeration_next(w->x, &s, u);

		if (e == TINY_NONE || !enumeration_step(w->x, &s, e))
			continue;
		w->order[n] = e;
		if (w->visit(w->arg, w->order, n + 1) || walk(w, &s, n + 1))
			return true;
	}
	return false;
}

bool enumerate_each(const struct tiny *t, struct enumerate_mode mode, uint32_t relax,
		    enumerate_visit *visit, void *arg)
{
	struct state s;
	struct enumeration *x = enumeration_begin(t, mode, relax, &s);
	struct walk w = { .x = x, .visit = visit, .arg = arg };
	bool found = walk(&w, &s, 0);

	enumeration_free(x);
	return found;
}
