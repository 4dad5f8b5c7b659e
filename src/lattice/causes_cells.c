/*
 * Memory: which accesses of a cell must keep their order.  Locks, below, are much the same.
 *
 * Algorithm A (doc/SEMANTICS.md 3.1), with W the latest write and A all accesses since, joined:
 *
 *	read	after W				A joins it
 *	write	after A				W = A = it
 *
 * Weak happens-before (doc/SEMANTICS.md 3.2): a read comes after its write; the write and its
 * readers are an atomic set of the cell.
 *
 *	read	after W, in the set of W; of a value without a set: later writes come after it
 *	write	starts a set, and ends the one before
 *	rmw	after W and the readers of W, in their set, which goes on: nothing may come between the
 *		write it read and itself, nor between itself and its readers
 *
 * In both, absent events matter to others by what they wrote alone: who reads that is absent too.
 *
 * A weak cell is touched by points only, else something could come between the points of a set that
 * the lattice does not see.  So every access of a weak cell is a point, and a cell becomes weak when a
 * point touches it: what was before is what later writes must come after.
 *
 * A split gives two cells the set of the value that both have.  Each of them has other sets from
 * then on, with a resource of its own, so these could come between the old ones: all that was before
 * the split, and all readers of that value, come before whatever is written later.
 */
#include "lattice/causes_priv.h"

/* An access of more cells makes none of them weak: an array, not a variable. */
#define CELLS_WEAK 64

static struct causes_cell *cell_get(struct causes *c, uint32_t id)
{
	VEC_REACH(&c->cells, id);
	return &c->cells.at[id];
}

bool causes_touches(const struct causes *c, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);

	for (uint32_t i = 0; i < s->ncells; i++)
		if (cells[i] < c->cells.n && c->cells.at[cells[i]].weak)
			return true;
	return false;
}

static uint32_t weak_new(struct causes *c)
{
	uint32_t at = (uint32_t)VEC_TAKE(&c->weaks, &c->unused_weaks);

	c->weaks.at[at] = (struct causes_weak){ .resource = c->nresources++ };
	return at + 1;
}

void causes_weaken(struct causes *c, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);

	for (uint32_t i = 0; i < s->ncells && s->ncells <= CELLS_WEAK; i++) {
		struct causes_cell *x = cell_get(c, cells[i]);

		if (x->weak)
			continue;
		x->weak = weak_new(c);
		known_set(&c->knowns, &c->weaks.at[x->weak - 1].base, x->all);
	}
}

/* ---- before ---- */

static void exchange_before(struct causes *c, const struct causes_cell *x)
{
	known_join(&c->knowns, causes_now(c), x->write);
	known_join(&c->knowns, causes_now(c), x->all);
}

static void weak_before(struct causes *c, const struct causes_cell *x, uint8_t op)
{
	const struct causes_weak *w = &c->weaks.at[x->weak - 1];

	if (op == STEP_READ || op == STEP_RMW)
		known_join(&c->knowns, causes_now(c), x->write);
	if (op == STEP_RMW)
		known_join(&c->knowns, causes_now(c), w->readers);
	if (op != STEP_READ)
		known_join(&c->knowns, causes_now(c), w->base);
}

void causes_access_before(struct causes *c, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);

	for (uint32_t i = 0; i < s->ncells; i++) {
		const struct causes_cell *x = cell_get(c, cells[i]);

		if (x->weak)
			weak_before(c, x, s->op);
		else if (s->op == STEP_READ)
			known_join(&c->knowns, causes_now(c), x->write);
		else if (s->op == STEP_RMW)
			exchange_before(c, x);
		else
			known_join(&c->knowns, causes_now(c), x->all);
	}
}

/* ---- after ---- */

static void write_after(struct causes *c, struct causes_cell *x)
{
	if (c->absent) {
		known_set(&c->knowns, &x->write, c->knowns.never);
		return;
	}
	known_set(&c->knowns, &x->write, *causes_now(c));
	known_set(&c->knowns, &x->all, *causes_now(c));
}

static void weak_read(struct causes *c, struct causes_weak *w)
{
	if (w->open)
		causes_join(c, w->open);
	known_join(&c->knowns, &w->readers, *causes_now(c));
	if (!w->open || w->shared)
		known_join(&c->knowns, &w->base, *causes_now(c));
}

/* The present value is gone; of a set that is shared, so is the resource. */
static void weak_leave(struct causes *c, struct causes_weak *w)
{
	if (w->open)
		causes_leave(c, w->open);
	if (w->shared)
		w->resource = c->nresources++;
	w->open = 0;
	w->shared = false;
	known_set(&c->knowns, &w->readers, NULL);
}

static void weak_write(struct causes *c, uint32_t at)
{
	uint32_t open;

	weak_leave(c, &c->weaks.at[at]);
	if (c->absent)
		return;
	open = causes_start(c, c->weaks.at[at].resource, 0);
	c->weaks.at[at].open = open;
}

/* It reads as well.  Its own set goes on; else, since no set keeps others from coming before it,
 * they come after. */
static void weak_exchange(struct causes *c, uint32_t at)
{
	struct causes_weak *w = &c->weaks.at[at];

	if (!c->absent && w->open)
		causes_join(c, w->open);
	if (!c->absent && w->open && !w->shared) {
		known_set(&c->knowns, &w->readers, NULL);
		return;
	}
	if (!c->absent)
		known_join(&c->knowns, &w->base, *causes_now(c));
	weak_write(c, at);
}

static void weak_after(struct causes *c, struct causes_cell *x, uint8_t op)
{
	uint32_t at = x->weak - 1;

	if (op == STEP_READ && c->absent)
		return;
	if (op == STEP_READ)
		weak_read(c, &c->weaks.at[at]);
	else if (op == STEP_RMW)
		weak_exchange(c, at);
	else
		weak_write(c, at);
	if (op != STEP_READ)
		known_set(&c->knowns, &x->write, *causes_now(c));
	if (!c->absent)
		known_join(&c->knowns, &x->all, *causes_now(c));
}

void causes_access_after(struct causes *c, const struct step_batch *b, const struct step *s)
{
	const uint32_t *cells = step_cells(b, s);

	for (uint32_t i = 0; i < s->ncells; i++) {
		struct causes_cell *x = &c->cells.at[cells[i]];

		if (x->weak)
			weak_after(c, x, s->op);
		else if (s->op != STEP_READ)
			write_after(c, x);
		else if (!c->absent)
			known_join(&c->knowns, &x->all, *causes_now(c));
	}
}

/* ---- cells come and go ---- */

static void weak_split(struct causes *c, const struct causes_cell *x, struct causes_cell *y)
{
	struct causes_weak *w, *v;

	y->weak = weak_new(c);
	w = &c->weaks.at[x->weak - 1];
	v = &c->weaks.at[y->weak - 1];
	known_join(&c->knowns, &w->base, x->all);
	known_set(&c->knowns, &v->base, w->base);
	known_set(&c->knowns, &v->readers, w->readers);
	v->open = w->open;
	if (w->open) {
		c->opens.at[w->open - 1].refs++;
		w->shared = v->shared = true;
	}
}

void causes_split(struct causes *c, uint32_t from, uint32_t to)
{
	struct causes_cell *x, *y;

	VEC_REACH(&c->cells, from > to ? from : to);
	causes_drop(c, to);
	x = &c->cells.at[from];
	y = &c->cells.at[to];
	known_set(&c->knowns, &y->write, x->write);
	known_set(&c->knowns, &y->all, x->all);
	if (x->weak)
		weak_split(c, x, y);
}

void causes_drop(struct causes *c, uint32_t cell)
{
	struct causes_cell *x;

	if (cell >= c->cells.n)
		return;
	x = &c->cells.at[cell];
	known_set(&c->knowns, &x->write, NULL);
	known_set(&c->knowns, &x->all, NULL);
	if (x->weak) {
		struct causes_weak *w = &c->weaks.at[x->weak - 1];

		weak_leave(c, w);
		known_set(&c->knowns, &w->base, NULL);
		*VEC_PUSH(&c->unused_weaks) = x->weak - 1;
		x->weak = 0;
	}
}

/*
 * Locks.
 *
 * MVC: a lock is a cell, written by acquire and release, read by those in read mode; so sections
 * keep their order.  A section that somebody in a run has begun and nobody in a run ends keeps
 * out all that came later.
 *
 * WEAK: a section is an atomic set, which its release closes; sections in read mode may overlap.
 */

static bool acquires(const struct step *s)
{
	return s->op == STEP_ACQ || s->op == STEP_RACQ;
}

static bool writes(const struct step *s)
{
	return s->op == STEP_ACQ || s->op == STEP_REL;
}

void causes_lock_before(struct causes *c, const struct step *s)
{
	struct causes_lock *l;

	VEC_REACH(&c->locks, s->obj);
	l = &c->locks.at[s->obj];
	/* It was taken from somebody who had it: in a run without that nobody else can. */
	if (acquires(s) && (s->flags & STEP_STOP))
		l->dead = true;
	if (l->dead)
		known_set(&c->knowns, causes_now(c), c->knowns.never);
	if (c->opt.kind == CAUSES_WEAK)
		return;
	if (writes(s))
		exchange_before(c, &l->cell);
	else
		known_join(&c->knowns, causes_now(c), l->cell.write);
}

static void mvc_after(struct causes *c, const struct step *s, struct causes_lock *l)
{
	/* The lock is never free again, if it was taken. */
	if (c->absent && s->op == STEP_REL && l->held)
		write_after(c, &l->cell);
	if (c->absent && s->op == STEP_RREL)
		known_set(&c->knowns, &l->cell.all, c->knowns.never);
	if (writes(s))
		l->held = s->op == STEP_ACQ && !c->absent;
	if (c->absent)
		return;
	if (writes(s))
		write_after(c, &l->cell);
	else
		known_join(&c->knowns, &l->cell.all, *causes_now(c));
}

/* Where the thread's section in read mode is kept; made when there is none. */
static uint32_t *reader_get(struct causes_lock *l, uint32_t tid)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i].tid == tid)
			return &l->readers.at[i].open;
	*VEC_PUSH(&l->readers) = (struct causes_reader){ tid, 0 };
	return &l->readers.at[l->readers.n - 1].open;
}

static void reader_remove(struct causes_lock *l, uint32_t tid)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i].tid == tid)
			l->readers.at[i] = l->readers.at[--l->readers.n];
}

static void section_after(struct causes *c, const struct step *s, struct causes_lock *l)
{
	unsigned flags = POINT_OWN | (s->op == STEP_RACQ ? POINT_SHARED : 0);
	uint32_t *open = writes(s) ? &l->open : reader_get(l, s->tid);

	if (!l->known) {
		l->known = true;
		l->resource = c->nresources++;
	}
	if (acquires(s)) {
		*open = c->absent ? 0 : causes_start(c, l->resource, flags);
		return;
	}
	if (*open && !c->absent) {
		causes_join(c, *open);
		causes_leave(c, *open);
	}
	*open = 0;
	if (s->op == STEP_RREL)
		reader_remove(l, s->tid);
}

void causes_lock_after(struct causes *c, const struct step *s)
{
	struct causes_lock *l = &c->locks.at[s->obj];

	if (c->opt.kind == CAUSES_MVC)
		mvc_after(c, s, l);
	else
		section_after(c, s, l);
}
