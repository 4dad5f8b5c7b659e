/*
 * Synchronisation objects on paper.  An object at an address whose
 * trace_object_id has changed is a new one: memory was reused without a word
 * about the old object, as it may be.
 */
#include <string.h>

#include "witness/selfcheck_priv.h"

static void object_reset(struct selfcheck_object *o)
{
	uint64_t id = o->id;

	VEC_RELEASE(&o->readers);
	memset(o, 0, sizeof(*o));
	o->id = id;
}

static struct selfcheck_object *object_get(struct selfcheck *s, uint64_t addr, uint32_t *index_out)
{
	bool fresh;
	uint64_t *index = map_put(&s->sync.at, addr, &fresh);
	uint64_t id = trace_object_id(s->trace, addr);
	struct selfcheck_object *o;

	if (fresh) {
		*index = s->sync.objects.n;
		memset(VEC_PUSH(&s->sync.objects), 0, sizeof(struct selfcheck_object));
	}
	*index_out = (uint32_t)*index;
	o = &s->sync.objects.at[*index];
	if (o->id != id) {
		object_reset(o);
		o->id = id;
	}
	return o;
}

static struct selfcheck_reader *reader_get(struct selfcheck_object *o, uint32_t tid)
{
	for (size_t i = 0; i < o->readers.n; i++)
		if (o->readers.at[i].tid == tid)
			return &o->readers.at[i];
	*VEC_PUSH(&o->readers) = (struct selfcheck_reader){ tid, 0 };
	return &o->readers.at[o->readers.n - 1];
}

static const char *name(struct selfcheck *s, uint32_t tid)
{
	return trace_thread_name(s->trace, tid);
}

static void lock_acquire(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	/* Nothing orders this after the owner's last event: do not ask whether it has ended. */
	if (e->flags & EVENT_DEAD_OWNER)
		o->owner = o->depth = 0;
	if (o->owner != 0 && o->owner != e->tid)
		selfcheck_fail(s, "%s holds the lock", name(s, o->owner));
	if (o->owner == e->tid && s->binary && !(e->flags & EVENT_RECURSIVE))
		selfcheck_fail(s, "the thread holds the lock already");
	if (o->nreaders != 0)
		selfcheck_fail(s, "the lock is held for reading");
	o->owner = e->tid;
	o->depth++;
}

static void lock_release(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	if (o->owner != e->tid) {
		selfcheck_fail(s, "the thread does not hold the lock");
		return;
	}
	if (--o->depth == 0)
		o->owner = 0;
}

static void lock_event(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	struct selfcheck_reader *r;

	switch (e->op) {
	case EVENT_ACQ:
		lock_acquire(s, e, o);
		break;
	case EVENT_REL:
		lock_release(s, e, o);
		break;
	case EVENT_RACQ:
		if (o->owner != 0)
			selfcheck_fail(s, "%s holds the lock for writing", name(s, o->owner));
		reader_get(o, e->tid)->count++;
		o->nreaders++;
		break;
	case EVENT_RREL:
		r = reader_get(o, e->tid);
		if (r->count == 0) {
			selfcheck_fail(s, "the thread does not hold the lock for reading");
			break;
		}
		r->count--;
		o->nreaders--;
		break;
	case EVENT_TRYFAIL: /* its winner may have the lock and not have logged it yet */
	case EVENT_REQ:	    /* who had it may have given it up since */
	case EVENT_RREQ:
		break;
	default: /* made or destroyed */
		object_reset(o);
		break;
	}
}

static void barrier_event(struct selfcheck *s, const struct event *e, struct selfcheck_object *o,
			  uint32_t index)
{
	uint64_t key = (uint64_t)index << 32 | (uint32_t)e->arg, *n;

	if (!o->known)
		return;
	n = map_put(&s->sync.barriers, key, NULL);
	if (e->op == EVENT_BAR_IN) {
		*n += (uint64_t)1 << 32;
		return;
	}
	if (*n >> 32 < o->value)
		selfcheck_fail(s, "generation %llu of the barrier has %llu of %llu threads",
			       (unsigned long long)e->arg, (unsigned long long)(*n >> 32),
			       (unsigned long long)o->value);
	if ((uint32_t)++ * n >= o->value)
		map_remove(&s->sync.barriers, key);
}

static void semaphore_event(struct selfcheck *s, const struct event *e, struct selfcheck_object *o)
{
	if (e->op == EVENT_SEM_POST) {
		o->value++;
	} else if (e->op == EVENT_SEM_WAIT && o->known) {
		if (o->value == 0)
			selfcheck_doubt(s, SELFCHECK_HANDLER, "the semaphore is at zero");
		else
			o->value--;
	}
}

void selfcheck_sync_event(struct selfcheck *s, const struct event *e)
{
	enum event_object kind = event_op_object(e->op);
	struct selfcheck_object *o;
	uint32_t index;

	if (kind != EVENT_OBJECT_LOCK && kind != EVENT_OBJECT_BARRIER &&
	    kind != EVENT_OBJECT_SEMAPHORE && kind != EVENT_OBJECT_ONCE)
		return;
	o = object_get(s, e->addr, &index);
	if (kind == EVENT_OBJECT_LOCK) {
		lock_event(s, e, o);
	} else if (e->op == EVENT_BAR_INIT || e->op == EVENT_SEM_INIT) {
		object_reset(o);
		o->known = true;
		o->value = e->arg;
	} else if (e->op == EVENT_BAR_IN || e->op == EVENT_BAR_OUT) {
		barrier_event(s, e, o, index);
	} else if (kind == EVENT_OBJECT_SEMAPHORE) {
		semaphore_event(s, e, o);
	} else if (e->op == EVENT_ONCE_END) {
		o->done = true;
	} else if (e->op == EVENT_ONCE_PASS && !o->done) {
		selfcheck_fail(s, "the routine has not been run to its end");
	}
}

void selfcheck_sync_release(struct selfcheck_sync *y)
{
	for (size_t i = 0; i < y->objects.n; i++)
		VEC_RELEASE(&y->objects.at[i].readers);
	VEC_RELEASE(&y->objects);
	MAP_RELEASE_ALL(&y->at, &y->barriers);
}
