/*
 * Locks.  What engines see of a lock is well formed whatever the trace says: of one lock id, an
 * acquire never meets another holder (readers apart), and a release has its acquire.
 *
 * Where the trace shows two holders (a robust mutex whose owner died; one that somebody else released; a
 * recording that lost something) the lock goes on under a new id, and nothing of the newcomer can be
 * reordered, nor of whoever takes it later: the section before is not known to be over without the newcomer.
 */
#include "order/step_priv.h"

#include "trace/format.h"

#define FAILS_MAX 1024 /* tries that failed, kept for one section */

static struct lock_reader *reader_find(struct object_lock *l, uint32_t tid)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i].tid == tid)
			return &l->readers.at[i];
	return NULL;
}

/* The event takes a lock that somebody has.  Returns the id that has ended. */
static uint32_t lock_renew(struct steps *s, const struct event *e, struct object_lock *l)
{
	uint32_t old = l->id;

	l->newcomer = (struct step_point){ .pos = e->pos, .chain = s->base.chain };
	l->id = s->nlocks++;
	l->owner = l->depth = 0;
	VEC_CLEAR(&l->readers);
	VEC_CLEAR(&l->fails);
	return old;
}

/* After the step of an acquire. */
static void after_newcomer(struct steps *s, const struct event *e, const struct object_lock *l)
{
	if (l->newcomer.pos != 0 && l->newcomer.pos != e->pos)
		step_after(s, l->newcomer.pos, l->newcomer.chain, 0);
}

/* After the step of an acquire: the lock was not free, so not its holder has freed it. */
static void lock_loosen(struct steps *s, struct object_lock *l, uint32_t old)
{
	step_add(s, STEP_LOOSE, 0)->obj = old;
	step_add(s, STEP_LOOSE, 0)->obj = l->id;
}

/* A recording says which locks nest.  If this one does not, somebody else has freed it meanwhile. */
static bool is_again(const struct event *e)
{
	return e->refs && !(e->flags & EVENT_RECURSIVE);
}

static void lock_acquire(struct steps *s, const struct event *e, struct object_lock *l)
{
	unsigned flags = e->flags & EVENT_TRY ? STEP_TRY : 0;
	uint32_t old = l->id;

	if ((e->flags & EVENT_DEAD_OWNER) || l->readers.n != 0 ||
	    (l->owner != 0 && (l->owner != e->tid || is_again(e)))) {
		old = lock_renew(s, e, l);
		flags |= STEP_STOP;
	}
	if (l->owner == e->tid) {
		l->depth++;
		step_add(s, STEP_NONE, 0);
		return;
	}
	l->owner = e->tid;
	l->depth = 1;
	l->pos = e->pos;
	step_add(s, STEP_ACQ, flags)->obj = l->id;
	after_newcomer(s, e, l);
	if (old != l->id && !(e->flags & EVENT_DEAD_OWNER))
		lock_loosen(s, l, old);
}

static void lock_acquire_read(struct steps *s, const struct event *e, struct object_lock *l)
{
	unsigned flags = e->flags & EVENT_TRY ? STEP_TRY : 0;
	struct lock_reader *r = reader_find(l, e->tid);
	uint32_t old = l->id;

	if (r) {
		r->depth++;
		step_add(s, STEP_NONE, 0);
		return;
	}
	if (l->owner != 0) {
		old = lock_renew(s, e, l);
		flags |= STEP_STOP;
	}
	*VEC_PUSH(&l->readers) = (struct lock_reader){ e->tid, 1, e->pos };
	step_add(s, STEP_RACQ, flags)->obj = l->id;
	after_newcomer(s, e, l);
	if (old != l->id)
		lock_loosen(s, l, old);
}

static void lock_request(struct steps *s, const struct event *e, const struct object_lock *l)
{
	unsigned flags = e->flags & EVENT_TRY ? STEP_TRY : 0;

	flags |= e->lock_kind == FORMAT_LOCK_USER ? STEP_OWN : 0;
	step_add(s, e->op == EVENT_REQ ? STEP_REQ : STEP_RREQ, flags)->obj = l->id;
}

/* The section of tid ends: nobody's try fails because of it any more. */
static void fails_guard(struct steps *s, const struct event *e, struct object_lock *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->fails.n; i++) {
		struct lock_fail f = l->fails.at[i];

		if (f.holder == e->tid)
			step_guard(s, f.pos, f.pos, f.chain, e->pos, STEP_PAIRED);
		else
			l->fails.at[kept++] = f;
	}
	l->fails.n = kept;
}

/* A release by a thread that does not hold the lock, or of none at all: what it does in another run
 * nobody knows. */
static void lock_release_stray(struct steps *s, struct object_lock *l)
{
	if (!l || (l->owner == 0 && l->readers.n == 0))
		step_add(s, STEP_NONE, STEP_STOP);
	else
		step_add(s, STEP_LOOSE, STEP_STOP)->obj = l->id;
}

static void lock_release(struct steps *s, const struct event *e, struct object_lock *l)
{
	if (!l || l->owner != e->tid) {
		lock_release_stray(s, l);
		return;
	}
	if (--l->depth > 0) {
		step_add(s, STEP_NONE, 0);
		return;
	}
	l->owner = 0;
	step_add(s, STEP_REL, e->flags & EVENT_IN_WAIT ? STEP_IN_WAIT : 0)->obj = l->id;
	fails_guard(s, e, l);
}

static void lock_release_read(struct steps *s, const struct event *e, struct object_lock *l)
{
	struct lock_reader *r = l ? reader_find(l, e->tid) : NULL;

	if (!r) {
		lock_release_stray(s, l);
		return;
	}
	if (--r->depth > 0) {
		step_add(s, STEP_NONE, 0);
		return;
	}
	*r = l->readers.at[--l->readers.n];
	step_add(s, STEP_RREL, 0)->obj = l->id;
	fails_guard(s, e, l);
}

/*
 * Readers keep a try of this kind from the lock.  A failed try says of itself whether it was for
 * writing only in text; recordings do not, so there readers explain nothing.
 */
static bool readers_explain(const struct event *e)
{
	return (e->flags & EVENT_WRITE_MODE) || e->lock_kind != FORMAT_LOCK_RWLOCK;
}

/* Who made a try of tid fail: *pos is the acquire.  0: nobody we know. */
static uint32_t holder_find(struct object_lock *l, const struct event *e, uint64_t *pos)
{
	if (!l || l->owner == e->tid || reader_find(l, e->tid))
		return 0;
	if (l->owner != 0) {
		*pos = l->pos;
		return l->owner;
	}
	if (l->readers.n == 0 || !readers_explain(e))
		return 0;
	*pos = l->readers.at[0].pos;
	return l->readers.at[0].tid;
}

static void lock_tryfail(struct steps *s, const struct event *e, struct object_lock *l)
{
	uint64_t pos = 0;
	uint32_t holder = e->flags & EVENT_REFUSED ? 0 : holder_find(l, e, &pos);
	size_t n = 0;

	for (size_t i = 0; holder != 0 && i < l->fails.n; i++)
		n += l->fails.at[i].holder == holder;
	if (holder == 0 || n >= FAILS_MAX) {
		step_add(s, STEP_NONE, STEP_STOP);
		return;
	}
	*VEC_PUSH(&l->fails) = (struct lock_fail){ holder, s->base.chain, e->pos };
	step_add(s, STEP_BUSY, readers_explain(e) ? STEP_READERS : 0)->obj = l->id;
	step_after(s, pos, chains_of(&s->chains, holder), STEP_PAIRED);
}

/* It went well, so nobody held the lock; in any other run nobody may, or what follows is not
 * known.  If somebody did hold it, by what is recorded, there is no such rule. */
static void lock_destroy(struct steps *s, const struct event *e)
{
	const struct object *o = step_object_find(s, e->addr, EVENT_OBJECT_LOCK);
	bool used = o && o->lock.id != LOCK_UNUSED && o->lock.owner == 0 && o->lock.readers.n == 0;

	step_object_renew(s, e->addr, true);
	if (used) {
		step_add(s, STEP_ACQ, STEP_TRY)->obj = o->lock.id;
		step_add(s, STEP_REL, 0)->obj = o->lock.id;
	} else {
		step_add(s, STEP_NONE, 0);
	}
	step_object_end(s, e->addr);
}

static struct object *lock_get(struct steps *s, uint64_t addr)
{
	struct object *o = step_object_get(s, addr, EVENT_OBJECT_LOCK);

	if (o->lock.id == LOCK_UNUSED)
		o->lock.id = s->nlocks++;
	return o;
}

void step_lock_event(struct steps *s, const struct event *e)
{
	struct object *o;

	if (e->op == EVENT_LOCK_DESTROY) {
		lock_destroy(s, e);
		return;
	}
	if (e->op == EVENT_ACQ || e->op == EVENT_RACQ || e->op == EVENT_REQ || e->op == EVENT_RREQ)
		o = lock_get(s, e->addr);
	else
		o = step_object_find(s, e->addr, EVENT_OBJECT_LOCK);
	step_object_use(s, e->addr);
	if (o)
		s->base.site = places_of_lock(&s->places, s->base.site, o->lock.family);
	switch (e->op) {
	case EVENT_ACQ:
		lock_acquire(s, e, &o->lock);
		break;
	case EVENT_RACQ:
		lock_acquire_read(s, e, &o->lock);
		break;
	case EVENT_REQ:
	case EVENT_RREQ:
		lock_request(s, e, &o->lock);
		break;
	case EVENT_REL:
		lock_release(s, e, o ? &o->lock : NULL);
		break;
	case EVENT_RREL:
		lock_release_read(s, e, o ? &o->lock : NULL);
		break;
	default:
		lock_tryfail(s, e, o ? &o->lock : NULL);
		break;
	}
}
