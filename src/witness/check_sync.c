/*
 * Locks and the other objects along the order.
 *
 * An object that was made by an event in the trace can be used after that event only, and not
 * after its end.  What a failed try, a post or a wake needs is in each function.
 */

#include "trace/format.h"
#include "witness/check_priv.h"

static struct check_object *object_at(struct checker *c, uint32_t at)
{
	struct check_object *o = &c->objects[at];

	if (!o->touched) {
		o->touched = true;
		*VEC_PUSH(&c->synced) = at;
	}
	return o;
}

static struct check_object *object_get(struct checker *c, uint32_t pos)
{
	return object_at(c, evidence_item(c->ev, pos)->object);
}

void check_objects_free(struct checker *c, uint32_t cell, unsigned mask, uint32_t pos)
{
	uint32_t o = c->ev->cells.at[cell].object;

	for (; o != 0; o = c->ev->objects.at[o].older)
		if (mask >> (c->ev->objects.at[o].addr & 7) & 1)
			object_at(c, o)->freed = pos;
}

static const struct evidence_object_info *info_get(const struct checker *c, uint32_t pos)
{
	return &c->ev->objects.at[evidence_item(c->ev, pos)->object];
}

const char *check_object_name(const struct checker *c, uint32_t pos)
{
	return intern_str(c->ev->names, info_get(c, pos)->called.name);
}

static struct check_reader *reader_get(struct check_object *o, uint32_t tid)
{
	for (size_t i = 0; i < o->readers.n; i++)
		if (o->readers.at[i].tid == tid)
			return &o->readers.at[i];
	*VEC_PUSH(&o->readers) = (struct check_reader){ tid, 0 };
	return &o->readers.at[o->readers.n - 1];
}

/* Somebody who holds the lock for reading; 0 nobody. */
static uint32_t reader_any(const struct check_object *o)
{
	for (size_t i = 0; i < o->readers.n; i++)
		if (o->readers.at[i].count != 0)
			return o->readers.at[i].tid;
	return 0;
}

/* The memory of the object is as alive as it was. */
static bool memory_check(struct checker *c, uint32_t pos)
{
	uint32_t now = object_get(c, pos)->freed, then = evidence_item(c->ev, pos)->freed;

	if (now == then)
		return true;
	if (now != 0)
		return check_fail(c, pos, "uses %.60s, whose memory event %u has freed",
				  check_object_name(c, pos), now);
	return check_fail(c, pos, "uses %.60s, whose memory event %u had freed as observed",
			  check_object_name(c, pos), then);
}

/* What was made or destroyed there last is what it was: a use is of the same life. */
static bool same_life_check(struct checker *c, uint32_t pos)
{
	uint32_t now = object_at(c, info_get(c, pos)->first)->renewed;
	uint32_t then = evidence_item(c->ev, pos)->life;

	if (now == then)
		return true;
	return check_fail(
		c, pos,
		"uses %.60s in another life of it: event %u has begun that, not event %u as observed",
		check_object_name(c, pos), now, then);
}

/* Nobody held the lock when it was destroyed as observed. */
static bool destroy_check(struct checker *c, uint32_t pos, const struct check_object *o)
{
	if (!evidence_item(c->ev, pos)->known || (o->owner == 0 && o->nreaders == 0))
		return true;
	return check_fail(c, pos, "destroys %.60s, which %.40s holds here",
			  check_object_name(c, pos),
			  check_thread_name(c, o->owner ? o->owner : reader_any(o)));
}

bool check_life(struct checker *c, uint32_t pos)
{
	uint32_t init = info_get(c, pos)->init;

	if (init != 0 && init != pos && c->when[init] == 0)
		return check_fail(c, pos, "uses %.60s before event %u has made it",
				  check_object_name(c, pos), init);
	if (evidence_is_destroy(evidence_item(c->ev, pos)->op))
		return same_life_check(c, pos);
	if (!evidence_is_use(evidence_item(c->ev, pos)->op))
		return true; /* a wait may end when what was waited for is gone */
	if (object_get(c, pos)->destroyed)
		return check_fail(c, pos, "uses %.60s after it was destroyed",
				  check_object_name(c, pos));
	return same_life_check(c, pos) && memory_check(c, pos);
}

/* ---- the ends of conditions and barriers ----
 *
 * Such a destroy comes back when nobody is inside any more.  Who waits at a condition is out when the
 * signal has come that it woke by, whether its WAKE is in yet or not; who waits at a barrier, when its
 * round is complete.
 */

/* The signal that ended the wait which the thread is in, as observed; 0: none is known. */
static uint32_t signal_of(const struct checker *c, uint32_t tid)
{
	const struct evidence_thread *t = &c->ev->threads.at[tid];

	for (size_t i = c->threads[tid].done; i < t->events.n; i++) {
		const struct evidence_item *it = evidence_item(c->ev, t->events.at[i]);

		if (it->op == EVENT_WAKE)
			return it->known ? it->signal : 0;
		if (it->op != EVENT_REL && it->op != EVENT_PARK && it->op != EVENT_READ)
			break; /* those are of the call, and reads that the recorder puts there */
	}
	return 0;
}

static bool keeps_inside(const struct checker *c, uint32_t tid, uint32_t destroy)
{
	const struct evidence_item *in = evidence_item(c->ev, c->threads[tid].inside);
	uint32_t signal;

	if (in->op == EVENT_BAR_IN)
		return c->ins[in->group] < c->ev->groups.at[in->group].ins;
	signal = signal_of(c, tid);
	return signal != 0 && signal < destroy && c->when[signal] == 0;
}

bool check_nobody_inside(struct checker *c, uint32_t pos)
{
	uint32_t self = evidence_item(c->ev, pos)->tid, destroy = c->threads[self].ended;

	for (uint32_t tid = 1; destroy != 0 && tid < c->ev->threads.n; tid++)
		if (tid != self && c->threads[tid].inside != 0 &&
		    evidence_item(c->ev, c->threads[tid].inside)->object ==
			    evidence_item(c->ev, destroy)->object &&
		    keeps_inside(c, tid, destroy))
			return check_fail(
				c, pos,
				"goes on from the destroy of %.60s, in which %.40s still waits",
				check_object_name(c, destroy), check_thread_name(c, tid));
	return true;
}

void check_inside_note(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct check_thread *t = &c->threads[it->tid];

	t->ended = it->op == EVENT_COND_DESTROY || it->op == EVENT_BAR_DESTROY ? pos : 0;
	if (it->op == EVENT_COND_REQ || it->op == EVENT_PARK || it->op == EVENT_BAR_IN)
		t->inside = pos;
	if (it->op == EVENT_WAKE || it->op == EVENT_BAR_OUT)
		t->inside = 0;
}

/* ---- locks ---- */

static bool held_fail(struct checker *c, uint32_t pos, uint32_t holder, const char *how)
{
	return check_fail(c, pos, "%.40s holds %.60s%s here", check_thread_name(c, holder),
			  check_object_name(c, pos), how);
}

static bool write_lock(struct checker *c, uint32_t pos, struct check_object *o)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	if (it->flags & EVENT_DEAD_OWNER) {
		if (o->owner == 0)
			return check_fail(c, pos,
					  "takes %.60s from a thread that died holding it; nobody "
					  "holds it here",
					  check_object_name(c, pos));
		if (!check_over(c, pos, o->owner, false))
			return false;
		o->owner = o->depth = 0;
	}
	if (o->owner != 0 && o->owner != it->tid)
		return held_fail(c, pos, o->owner, "");
	if (o->owner != 0 && c->ev->binary && !(it->flags & EVENT_RECURSIVE))
		return held_fail(c, pos, o->owner, ", which does not nest,");
	if (o->nreaders != 0)
		return held_fail(c, pos, reader_any(o), " for reading");
	o->owner = it->tid;
	o->depth++;
	return true;
}

static bool write_unlock(struct checker *c, uint32_t pos, struct check_object *o)
{
	if (o->owner != evidence_item(c->ev, pos)->tid)
		return check_fail(c, pos, "releases %.60s, which its thread does not hold here",
				  check_object_name(c, pos));
	if (--o->depth == 0)
		o->owner = 0;
	return true;
}

static bool read_lock(struct checker *c, uint32_t pos, struct check_object *o)
{
	if (o->owner != 0)
		return held_fail(c, pos, o->owner, " for writing");
	reader_get(o, evidence_item(c->ev, pos)->tid)->count++;
	o->nreaders++;
	return true;
}

static bool read_unlock(struct checker *c, uint32_t pos, struct check_object *o)
{
	struct check_reader *r = reader_get(o, evidence_item(c->ev, pos)->tid);

	if (r->count == 0)
		return check_fail(c, pos,
				  "releases %.60s, which its thread does not hold for reading here",
				  check_object_name(c, pos));
	r->count--;
	o->nreaders--;
	return true;
}

bool check_keeps_out(const struct checker *c, uint32_t lock, uint32_t tid, bool reads)
{
	const struct check_object *o = &c->objects[lock];
	bool held = o->owner == tid;

	for (size_t i = 0; i < o->readers.n && !reads; i++)
		held |= o->readers.at[i].tid == tid && o->readers.at[i].count != 0;
	return held;
}

/* It must fail here too: readers do not keep a reader out. */
static bool try_fail(struct checker *c, uint32_t pos, const struct check_object *o)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	bool reads = it->kind == FORMAT_LOCK_RWLOCK && !(it->flags & EVENT_WRITE_MODE);

	if (it->flags & EVENT_REFUSED)
		return check_refused(c, pos);
	if (o->owner != 0 || (!reads && o->nreaders != 0))
		return true;
	return check_fail(c, pos, "did not get %.60s; here nobody keeps it out",
			  check_object_name(c, pos));
}

/* ---- the others ---- */

static bool wake(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	if (!it->known)
		return true; /* by itself, or by the clock */
	if (it->signal == 0)
		return check_fail(c, pos, "was woken by a signal that is not in the trace");
	if (c->when[it->signal] == 0)
		return check_fail(c, pos, "comes before event %u, which woke it", it->signal);
	if (it->park != 0 && c->when[it->park] > c->when[it->signal])
		return check_fail(c, pos,
				  "was woken by event %u, which came before it waited at event %u",
				  it->signal, it->park);
	return true;
}

static bool barrier_out(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct evidence_object_info *info = info_get(c, pos);
	uint32_t all = c->ev->groups.at[it->group].ins;

	if (info->counted && all < info->value)
		return check_fail(c, pos,
				  "%u of the %" PRIu64 " threads that %.60s waits for "
				  "are in the trace",
				  all, info->value, check_object_name(c, pos));
	if (c->ins[it->group] < all)
		return check_fail(c, pos,
				  "%u of the %u threads of its round have come "
				  "to %.60s",
				  c->ins[it->group], all, check_object_name(c, pos));
	return true;
}

static bool semaphore(struct checker *c, uint32_t pos, struct check_object *o)
{
	uint64_t value = info_get(c, pos)->value + (uint64_t)o->balance;

	switch (evidence_item(c->ev, pos)->op) {
	case EVENT_SEM_POST:
		o->balance++;
		return true;
	case EVENT_SEM_WAIT:
		if (value == 0)
			return check_fail(c, pos, "%.60s is at zero here",
					  check_object_name(c, pos));
		o->balance--;
		return true;
	default:
		if (evidence_item(c->ev, pos)->flags & EVENT_REFUSED)
			return check_refused(c, pos);
		if (value == 0)
			return true;
		return check_fail(c, pos, "found %.60s at zero; it is at %" PRIu64 " here",
				  check_object_name(c, pos), value);
	}
}

/* Begins that were not ended (the routine was left otherwise) come in observed order. */
static bool once(struct checker *c, uint32_t pos, struct check_object *o)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	switch (it->op) {
	case EVENT_ONCE_BEGIN:
		if (o->done || o->begun != it->ordinal)
			return check_fail(c, pos, "runs the routine of %.60s, which %s",
					  check_object_name(c, pos),
					  o->done ? "has been run here"
						  : "another thread ran first as observed");
		o->begun++;
		return true;
	case EVENT_ONCE_END:
		o->done = true;
		return true;
	default:
		if (o->done)
			return true;
		return check_fail(c, pos, "the routine of %.60s has not been run to its end",
				  check_object_name(c, pos));
	}
}

static bool take(struct checker *c, uint32_t pos, const struct check_object *o)
{
	if (o->begun >= evidence_item(c->ev, pos)->ordinal)
		return true;
	return check_fail(c, pos, "takes from %.60s what has not been given yet",
			  check_object_name(c, pos));
}

bool check_sync_event(struct checker *c, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct check_object *o;

	if (it->object == 0)
		return true; /* program order is all there is to it */
	if (!check_life(c, pos))
		return false;
	o = object_get(c, pos);
	if (evidence_renews(it->op))
		object_at(c, info_get(c, pos)->first)->renewed = pos;
	if (evidence_is_destroy(it->op)) {
		o->destroyed = true;
		return destroy_check(c, pos, o);
	}
	switch (it->op) {
	case EVENT_ACQ:
		return write_lock(c, pos, o);
	case EVENT_REL:
		return write_unlock(c, pos, o);
	case EVENT_RACQ:
		return read_lock(c, pos, o);
	case EVENT_RREL:
		return read_unlock(c, pos, o);
	case EVENT_TRYFAIL:
		return try_fail(c, pos, o);
	case EVENT_WAKE:
		return wake(c, pos);
	case EVENT_BAR_IN:
		c->ins[it->group]++;
		return true;
	case EVENT_BAR_OUT:
		return barrier_out(c, pos);
	case EVENT_SEM_POST:
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
		return semaphore(c, pos, o);
	case EVENT_GIVE:
		/* They may come in another order than observed: begun counts those that all came. */
		map_put(&c->given, (uint64_t)it->object << 32 | it->ordinal, NULL);
		while (map_remove(&c->given, (uint64_t)it->object << 32 | o->begun))
			o->begun++;
		return true;
	case EVENT_TAKE:
		return take(c, pos, o);
	case EVENT_ONCE_BEGIN:
	case EVENT_ONCE_END:
	case EVENT_ONCE_PASS:
		return once(c, pos, o);
	default: /* made, or a signal */
		return true;
	}
}
