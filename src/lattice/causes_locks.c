/*
 * Locks.
 *
 * MVC: a lock is a cell, written by acquire and release, read by those in read mode; so sections
 * keep their order.  A section that somebody in a run has begun and nobody in a run ends keeps
 * out all that came later.
 *
 * WEAK: a section is an atomic set, which its release closes; sections in read mode may overlap.
 */
#include "lattice/causes_priv.h"

static struct causes_lock *lock_get(struct causes *c, uint32_t lock)
{
	VEC_REACH(&c->locks, lock);
	return &c->locks.at[lock];
}

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
	struct causes_lock *l = lock_get(c, s->obj);

	/* It was taken from somebody who had it: in a run without that nobody else can. */
	if (acquires(s) && (s->flags & STEP_STOP))
		l->dead = true;
	if (l->dead)
		known_set(&c->knowns, causes_now(c), c->knowns.never);
	if (c->opt.kind == CAUSES_WEAK)
		return;
	if (writes(s))
		causes_exchange_before(c, &l->cell);
	else
		known_join(&c->knowns, causes_now(c), l->cell.write);
}

static void mvc_after(struct causes *c, const struct step *s, struct causes_lock *l)
{
	/* The lock is never free again, if it was taken. */
	if (c->absent && s->op == STEP_REL && l->held)
		causes_write_after(c, &l->cell);
	if (c->absent && s->op == STEP_RREL)
		known_set(&c->knowns, &l->cell.all, c->knowns.never);
	if (writes(s))
		l->held = s->op == STEP_ACQ && !c->absent;
	if (c->absent)
		return;
	if (writes(s))
		causes_write_after(c, &l->cell);
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

static void weak_after(struct causes *c, const struct step *s, struct causes_lock *l)
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
		weak_after(c, s, l);
}
