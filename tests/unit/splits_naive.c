#include "splits_naive.h"

/* One that says no more than that a read was repeated is none. */
static bool is_access(const struct tiny_event *e)
{
	return tiny_is_access(e) && !e->reread;
}

bool splits_conflict(const struct tiny *t, int a, int b)
{
	const struct tiny_event *x = &t->at[a], *y = &t->at[b];

	return is_access(x) && is_access(y) && x->thread != y->thread && (x->cells & y->cells) &&
	       (tiny_writes(x) || tiny_writes(y));
}

bool splits_is_triple(const struct tiny *t, int p, int r, int c)
{
	bool writes = tiny_writes(&t->at[r]);
	unsigned cells = t->at[p].cells & t->at[r].cells & t->at[c].cells;

	for (int i = p + 1; i < c; i++)
		if (t->at[i].thread == t->at[p].thread && is_access(&t->at[i]) &&
		    (writes || tiny_writes(&t->at[i])))
			cells &= ~t->at[i].cells;
	if (!cells)
		return false;
	return writes ? tiny_reads(&t->at[p]) || tiny_reads(&t->at[c])
		      : tiny_writes(&t->at[p]) && tiny_writes(&t->at[c]);
}

bool splits_in_one_block(const struct tiny *t, int a, int c)
{
	return t->at[a].thread == t->at[c].thread && tiny_block(t, a) != TINY_NONE &&
	       tiny_block(t, a) == tiny_block(t, c);
}

static void each(const struct tiny *t, struct split p, splits_fn *fn, void *arg)
{
	if (!tiny_must_precede(t, p.a, p.b) || !tiny_must_precede(t, p.d, p.c))
		fn(arg, t, &p);
}

static void each_pair(const struct tiny *t, int a, int c, splits_fn *fn, void *arg)
{
	for (int b = 0; b < t->n; b++)
		for (int d = 0; splits_conflict(t, a, b) && d < t->n; d++)
			if (t->at[d].thread == t->at[b].thread && splits_conflict(t, d, c) &&
			    (d >= b || splits_in_one_block(t, d, b)))
				each(t, (struct split){ a, b, d, c }, fn, arg);
}

void splits_each(const struct tiny *t, splits_fn *fn, void *arg)
{
	for (int a = 0; a < t->n; a++)
		for (int c = a + 1; c < t->n; c++)
			for (int r = 0; splits_in_one_block(t, a, c) && r < t->n; r++)
				if (splits_conflict(t, a, r) && splits_conflict(t, r, c) &&
				    splits_is_triple(t, a, r, c))
					each(t, (struct split){ a, r, r, c }, fn, arg);
	for (int a = 0; a < t->n; a++)
		for (int c = a + 1; c < t->n; c++)
			if (splits_in_one_block(t, a, c) && !(t->at[a].cells & t->at[c].cells))
				each_pair(t, a, c, fn, arg);
}
