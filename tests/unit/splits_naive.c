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

/* ---- guesses ---- */

/* Acquires, as a mask, whose sections the event lies in. */
static uint32_t held_at(const struct tiny *t, int e)
{
	uint32_t held = 0;

	for (int i = 0; i < e; i++)
		if (tiny_acquires(&t->at[i]) && t->at[i].thread == t->at[e].thread &&
		    (t->at[i].partner == TINY_NONE || t->at[i].partner > e))
			held |= 1u << i;
	return held;
}

static bool hold_one_section(const struct tiny *t, int a, int c)
{
	return held_at(t, a) & held_at(t, c);
}

/* Two sections of one lock. */
static bool hold_one_lock(const struct tiny *t, int a, int c)
{
	uint32_t x = held_at(t, a), y = held_at(t, c) & ~x;

	for (int i = 0; i < t->n; i++)
		for (int k = 0; x >> i & 1 && k < t->n; k++)
			if (y >> k & 1 && t->at[i].obj == t->at[k].obj &&
			    t->at[i].life == t->at[k].life)
				return true;
	return false;
}

/* Somebody else has to run between two events of a thread. */
static bool waits_between(const struct tiny *t, int a, int c)
{
	for (int i = a; i <= c; i++)
		if (t->at[i].thread == t->at[a].thread &&
		    (t->at[i].op == TINY_PARK || t->at[i].op == TINY_JOIN || t->at[i].takes ||
		     t->at[i].op == TINY_SEMWAIT))
			return true;
	return false;
}

static bool only_reads(const struct tiny *t, int e)
{
	return tiny_reads(&t->at[e]) && !tiny_writes(&t->at[e]);
}

bool splits_is_guess(const struct tiny *t, const struct split *p, enum guess guess)
{
	bool common = t->at[p->a].cells & t->at[p->c].cells, r = tiny_writes(&t->at[p->b]);

	if (hold_one_section(t, p->a, p->c) || waits_between(t, p->a, p->c))
		return false;
	switch (guess) {
	case GUESS_SPLIT:
		return only_reads(t, p->a) && hold_one_lock(t, p->a, p->c);
	case GUESS_CHECK:
		return only_reads(t, p->a) && !held_at(t, p->a) && held_at(t, p->c);
	case GUESS_REREAD:
		return tiny_writes(&t->at[p->a]) && tiny_reads(&t->at[p->c]) &&
		       hold_one_lock(t, p->a, p->c);
	case GUESS_SECTIONS:
		return hold_one_lock(t, p->a, p->c) &&
		       (r ? only_reads(t, p->a) && only_reads(t, p->c)
			  : tiny_writes(&t->at[p->a]) && tiny_writes(&t->at[p->c]));
	default:
		return !common && p->b <= p->d;
	}
}

/* The access of the cell before event e, of the same thread; writes: that writes. */
static int access_before(const struct tiny *t, int e, unsigned cell, bool writes)
{
	int i = e;

	while (--i >= 0)
		if (t->at[i].thread == t->at[e].thread && tiny_is_access(&t->at[i]) &&
		    (t->at[i].cells & cell) && (!writes || tiny_writes(&t->at[i])))
			return i;
	return TINY_NONE;
}

/* What the thread knows of the cell when it writes it at c comes from a read in no section of c's: that; *to is the
 * first access behind it.  A free read in the section is no second look. */
static int look_before(const struct tiny *t, int c, unsigned cell, int *to)
{
	int p = c;

	*to = c;
	while ((p = access_before(t, p, cell, false)) != TINY_NONE) {
		const struct tiny_event *e = &t->at[p];

		if (tiny_writes(e))
			return TINY_NONE;
		if (e->reread)
			continue;
		if (!hold_one_section(t, p, c))
			return p;
		if (!e->free || e->cmp != TINY_NO_TEST)
			return TINY_NONE;
		*to = p;
	}
	return TINY_NONE;
}

struct each_guess {
	const struct tiny *t;
	unsigned cell;
	splits_fn *fn;
	void *arg;
};

/* With each access of another thread that writes, or that only reads. */
static void guess(const struct each_guess *g, int p, int c, bool writes)
{
	const struct tiny *t = g->t;

	if (hold_one_section(t, p, c) || waits_between(t, p, c) ||
	    (tiny_block(t, p) != TINY_NONE && tiny_block(t, c) != TINY_NONE))
		return;
	for (int r = 0; r < t->n; r++)
		if (t->at[r].thread != t->at[p].thread && tiny_is_access(&t->at[r]) &&
		    (t->at[r].cells & g->cell) && !t->at[r].reread &&
		    tiny_writes(&t->at[r]) == writes)
			each(t, (struct split){ p, r, r, c }, g->fn, g->arg);
}

static void guess_access(const struct each_guess *g, int c)
{
	const struct tiny *t = g->t;
	const struct tiny_event *e = &t->at[c];
	int p = access_before(t, c, g->cell, false), w = access_before(t, c, g->cell, true), to;

	if (e->op == TINY_WRITE) {
		int look = look_before(t, c, g->cell, &to);

		if (look != TINY_NONE && (hold_one_lock(t, look, c) || !held_at(t, look)))
			guess(g, look, to, true);
		if (w != TINY_NONE && hold_one_lock(t, w, c))
			guess(g, w, c, false);
	} else if (tiny_reads(e) && !e->reread && p != TINY_NONE && !t->at[p].reread &&
		   hold_one_lock(t, p, c) && (tiny_writes(&t->at[p]) || e->op == TINY_READ)) {
		guess(g, p, c, true);
	}
}

void splits_each_guess(const struct tiny *t, splits_fn *fn, void *arg)
{
	for (unsigned k = 0; k < TINY_CELLS; k++) {
		struct each_guess g = { t, 1u << k, fn, arg };

		for (int c = 0; c < t->n; c++)
			if (tiny_is_access(&t->at[c]) && (t->at[c].cells & g.cell) && held_at(t, c))
				guess_access(&g, c);
	}
}
