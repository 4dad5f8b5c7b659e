/*
 * What the targets of a claim must be after its order: of a race, of requests that wait for one another, of a
 * wait that nobody ends.
 */

#include "trace/format.h"
#include "witness/check_priv.h"

/* ---- races: next in their threads, and in conflict ---- */

static bool access_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it;

	if (!check_exists(c, pos))
		return false;
	it = evidence_item(c->ev, pos);
	if (c->when[pos] != 0)
		return check_fail(c, pos, "is a target and in the order as well");
	if (!evidence_is_touch(it))
		return check_fail(c, pos, "is no access to memory, so no target of a race");
	if (it->flags & EVENT_REREAD)
		return check_fail(c, pos, "only says that a read was repeated: no target");
	return check_is_next(c, pos);
}

/* A target that reads: would it see what it saw? */
static void target_note(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	struct check_seen seen;

	if (it->op != EVENT_READ && it->op != EVENT_RMW)
		return;
	check_read(c, (uint32_t)pos, &seen);
	if (seen.differs || seen.tainted || (it->flags & EVENT_UNKNOWN))
		*VEC_PUSH(&c->out->stray) = pos;
}

static bool is_atomic(const struct evidence_item *it)
{
	return (it->flags & EVENT_ATOMIC) || it->op == EVENT_RMW || evidence_is_use(it->op);
}

/* A use of an object leaves it what it is. */
static bool is_reader(const struct evidence_item *it)
{
	return it->op == EVENT_READ || evidence_is_use(it->op);
}

bool check_race(struct checker *c, uint64_t a, uint64_t b)
{
	const struct evidence_item *x, *y;

	if (!access_check(c, a) || !access_check(c, b))
		return false;
	x = evidence_item(c->ev, a);
	y = evidence_item(c->ev, b);
	if (x->tid == y->tid)
		return check_fail(c, b, "both targets are of one thread");
	if (is_reader(x) && is_reader(y))
		return check_fail(c, b, "both targets only read");
	if (is_atomic(x) && is_atomic(y))
		return check_fail(c, b, "both targets are atomic");
	if (!evidence_overlap(c->ev, a, b))
		return check_fail(c, b, "has no byte in common with event %" PRIu64, a);
	target_note(c, a);
	if (x->op <= EVENT_FREE && x->op != EVENT_READ)
		check_write(c, (uint32_t)a);
	target_note(c, b);
	return true;
}

/*
 * Requests that wait for one another for ever (doc/SEMANTICS.md 2.3): each target is called next by
 * its thread and cannot be granted before the thread of another target goes on.
 *
 *	a lock	waits for a thread that holds it, unless both only read
 *	a join	waits for the thread it joins
 *
 * The targets form one circle: target -> the thread that it waits for -> that thread's target.  A lock
 * held by several readers gives a choice, so the circle is searched for.
 *
 * A thread may wait for itself, and only the recorded run can show that.
 *
 * Where the recorded run itself hung there is no acquire (no join): the request that was not answered
 * stands for it.
 */

/* A request that was never answered, if request_check agrees. */
static bool is_open(const struct evidence_item *it)
{
	return it->op == EVENT_REQ || it->op == EVENT_RREQ;
}

static bool is_join(const struct evidence_item *it)
{
	return it->op == EVENT_JOIN || it->op == EVENT_JOINING;
}

static bool is_lock(const struct evidence_item *it)
{
	return it->op == EVENT_ACQ || it->op == EVENT_RACQ || is_open(it);
}

/* What came of a request is its thread's next event: then that is the one to name.  Of a lock of
 * the program's own the wait itself may be recorded. */
static bool open_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct evidence_thread *t = &c->ev->threads.at[it->tid];
	bool own = it->op != EVENT_JOINING && it->kind == FORMAT_LOCK_USER;
	uint32_t next = it->index + 1;

	if (!is_open(it) && it->op != EVENT_JOINING)
		return true;
	while (own && next < t->events.n &&
	       evidence_is_waiting(evidence_item(c->ev, t->events.at[next])->op))
		next++;
	if (next < t->events.n)
		return check_fail(c, pos, "was answered: event %u of its thread follows",
				  t->events.at[next]);
	if (t->goes_on || (t->lingers && !own))
		return check_fail(c, pos, "was answered: its thread goes on");
	return true;
}

/* One thread that waits for itself: it never got what it asked for, so the lock does not nest. */
static bool is_alone(const struct checker *c)
{
	const struct check_claim *claim = c->claim;
	const struct evidence_item *it = evidence_item(c->ev, claim->targets[0]);

	return claim->kind == FINDING_DEADLOCK && claim->ntargets == 1 && is_open(it);
}

/* The event is one that asks for a lock and, if that is held, waits without end; or false. */
static bool request_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	if (it->flags & EVENT_TRY)
		return check_fail(c, pos, "cannot wait for ever: it tries, or waits for a time");
	if (!open_check(c, pos))
		return false;
	if (is_join(it))
		return true;
	if (!check_life(c, (uint32_t)pos))
		return false;
	if (c->objects[it->object].owner == it->tid && !is_alone(c))
		return check_fail(c, pos, "its thread holds %.60s itself here",
				  check_object_name(c, (uint32_t)pos));
	return true;
}

/* If the lock it asks for may be released by anybody, the claim is no more than a warning. */
static void loose_doubt(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);

	if (is_lock(it) && c->ev->objects.at[it->object].loose)
		check_doubt(c, pos, "a lock of it is also released by threads that do not hold it",
			    "asks for a lock that threads release which do not hold it");
}

static bool target_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it;

	if (!check_exists(c, pos))
		return false;
	it = evidence_item(c->ev, pos);
	if (!is_lock(it) && !(is_join(it) && c->claim->kind == FINDING_JOIN_HOLDING))
		return check_fail(c, pos, "asks for no lock%s: no target of %s",
				  c->claim->kind == FINDING_JOIN_HOLDING ? " and joins nobody" : "",
				  finding_kind_name(c->claim->kind));
	return check_is_next(c, pos) && request_check(c, pos);
}

/* The thread holds what the event asks for, so that it must wait. */
static bool keeps_out(const struct checker *c, const struct evidence_item *it, uint32_t tid)
{
	return check_keeps_out(c, it->object, tid, it->op == EVENT_RACQ || it->op == EVENT_RREQ);
}

/* Target a cannot go on before the thread of target b does. */
static bool waits_for(const struct checker *c, uint64_t a, uint64_t b)
{
	const struct evidence_item *x = evidence_item(c->ev, a);
	uint32_t tid = evidence_item(c->ev, b)->tid;

	if (is_join(x))
		return x->object == tid;
	return keeps_out(c, x, tid);
}

/* Looked at for a circle: where each lock has one holder there is one way round, but readers may
 * make more of them than anybody can try. */
#define CIRCLE_STEPS 1000000u

/* From target `at', along those in `left' (a mask) and all of them, back to the first. */
static bool circle_find(const struct checker *c, uint32_t at, uint64_t left, uint32_t *steps)
{
	const uint64_t *target = c->claim->targets;

	if (left == 0)
		return waits_for(c, target[at], target[0]);
	for (uint32_t i = 1; i<c->claim->ntargets && * steps> 0; i++) {
		if (!(left >> i & 1))
			continue;
		--*steps;
		if (waits_for(c, target[at], target[i]) &&
		    circle_find(c, i, left & ~(UINT64_C(1) << i), steps))
			return true;
	}
	return false;
}

/* Why there is no circle: somebody waits for none of the others, if that is it. */
static bool circle_fail(struct checker *c)
{
	const struct check_claim *claim = c->claim;

	for (uint32_t i = 0; i < claim->ntargets; i++) {
		const struct evidence_item *it = evidence_item(c->ev, claim->targets[i]);
		bool waits = false;

		for (uint32_t k = 0; k < claim->ntargets; k++)
			waits |= k != i && waits_for(c, claim->targets[i], claim->targets[k]);
		if (waits)
			continue;
		if (is_join(it))
			return check_fail(c, claim->targets[i],
					  "joins %.40s, of which there is no target",
					  check_thread_name(c, it->object));
		return check_fail(c, claim->targets[i],
				  "none of the other threads holds %.60s here so that it must wait",
				  check_object_name(c, (uint32_t)claim->targets[i]));
	}
	return check_fail(c, 0, "the targets do not wait for one another in one circle");
}

bool check_deadlock(struct checker *c)
{
	const struct check_claim *claim = c->claim;
	uint32_t steps = CIRCLE_STEPS;
	bool joins = false;

	for (uint32_t i = 0; i < claim->ntargets; i++) {
		const struct evidence_item *it;

		if (!target_check(c, claim->targets[i]))
			return false;
		if (claim->ntargets == 1 && !is_alone(c))
			return check_fail(c, claim->targets[0],
					  "one thread waits for itself only where the recorded run "
					  "ended with it");
		it = evidence_item(c->ev, claim->targets[i]);
		joins |= is_join(it);
		for (uint32_t k = 0; k < i; k++)
			if (evidence_item(c->ev, claim->targets[k])->tid == it->tid)
				return check_fail(c, claim->targets[i],
						  "two targets are of one thread");
	}
	if (!joins && claim->kind == FINDING_JOIN_HOLDING)
		return check_fail(c, 0, "no target joins: not %s", finding_kind_name(claim->kind));
	if (!circle_find(c, 0, (~UINT64_C(0) >> (64 - claim->ntargets)) & ~UINT64_C(1), &steps))
		return circle_fail(c);
	for (uint32_t i = 0; i < claim->ntargets; i++)
		loose_doubt(c, claim->targets[i]);
	return true;
}

/*
 * A condition wait that nobody ends.
 *
 * The wait is one call, recorded as REL, PARK, WAKE, ACQ.  A thread that is about to wait is one
 * whose REL is next: it holds the mutex still, and what it does next is let go of it and sleep.  A
 * thread that waits has REL and PARK in the order, as its last events, and no signal of the
 * condition comes after the REL.
 *
 *	wait-holding-lock	it sleeps, or is about to, with another lock that the thread which is
 *				to signal asks for
 *	lost-wakeup		the signal came when nobody waited, and it is about to sleep
 *
 * In both cases another signal may wake it.  So the claim is sure only if no other is left: each is
 * in the order, or sent by the waiting thread itself, or, with the lock, by the thread that asks for
 * it.
 */

struct wait {
	uint64_t release, other; /* the REL, and the other target */
	uint64_t park;
	uint32_t tid, condition;
};

static bool is_wait(const struct evidence_item *it)
{
	return it->op == EVENT_REL && (it->flags & EVENT_IN_WAIT);
}

static bool is_signal(const struct evidence_item *it)
{
	return it->op == EVENT_SIGNAL || it->op == EVENT_BROADCAST;
}

/* Which target is the wait, of what. */
static bool wait_find(struct checker *c, struct wait *w)
{
	const uint64_t *target = c->claim->targets;
	bool second;

	if (!check_exists(c, target[0]) || !check_exists(c, target[1]))
		return false;
	second = is_wait(evidence_item(c->ev, target[1]));
	w->release = target[second];
	w->other = target[!second];
	if (!is_wait(evidence_item(c->ev, w->release)))
		return check_fail(c, target[0], "begins no condition wait, nor does event %" PRIu64,
				  target[1]);
	if (c->ev->cut)
		return check_fail(c, 0, "signals may come after the part of the trace used");
	w->tid = evidence_item(c->ev, w->release)->tid;
	if (evidence_item(c->ev, w->other)->tid == w->tid)
		return check_fail(c, w->other, "both targets are of one thread");
	w->park = evidence_park(c->ev, w->release);
	if (w->park == 0)
		return check_fail(c, w->release, "no wait follows");
	if (evidence_item(c->ev, w->park)->flags & EVENT_TRY)
		return check_fail(c, w->release, "begins a wait that ends after a time");
	w->condition = evidence_item(c->ev, w->park)->object;
	return true;
}

/* Of a wait that is in the order: it has begun, nothing has come of it, and nobody has signalled
 * since. */
static bool sleep_check(struct checker *c, const struct wait *w)
{
	if (c->when[w->park] == 0)
		return check_fail(c, w->release, "is in the order, and event %" PRIu64 " is not",
				  w->park);
	if (c->threads[w->tid].done != evidence_item(c->ev, w->park)->index + 1)
		return check_fail(c, w->release, "begins a wait that is over: its thread goes on");
	for (uint32_t i = c->when[w->release]; i < c->claim->norder; i++) {
		const struct evidence_item *it = evidence_item(c->ev, c->claim->order[i]);

		if (is_signal(it) && it->object == w->condition)
			return check_fail(c, c->claim->order[i],
					  "may end the wait that event %" PRIu64 " began",
					  w->release);
	}
	return true;
}

/* ---- signals that are left ---- */

static bool sends_later(const struct checker *c, const struct wait *w, uint32_t tid)
{
	const struct evidence_thread *t = &c->ev->threads.at[tid];

	for (size_t i = t->signals.n; i > 0; i--) {
		uint32_t pos = t->signals.at[i - 1].pos;

		if (c->when[pos] == 0 && evidence_item(c->ev, pos)->object == w->condition)
			return true;
	}
	return false;
}

/* The trace shows how the thread ended, or that it waited for ever. */
static bool is_settled(const struct evidence *ev, uint32_t tid)
{
	const struct evidence_thread *t = &ev->threads.at[tid];
	const struct evidence_item *last;

	if (t->events.n == 0 || t->ended)
		return true;
	last = evidence_item(ev, t->events.at[t->events.n - 1]);
	return !(last->flags & EVENT_TRY) &&
	       (is_open(last) || last->op == EVENT_JOINING || last->op == EVENT_PARK);
}

/* A signal of that condition may come when the thread, whose last events are the two of the wait, has begun it. */
static bool wakes_later(const struct checker *c, const struct wait *w, uint32_t except,
			uint32_t tid, uint64_t release, uint64_t park)
{
	uint32_t condition = evidence_item(c->ev, park)->object;

	for (uint32_t other = 1; other < c->ev->threads.n; other++) {
		const struct evidence_thread *t = &c->ev->threads.at[other];

		for (size_t i = 0; i < t->signals.n && other != tid; i++) {
			uint32_t pos = t->signals.at[i].pos;
			bool comes = other != w->tid && other != except;

			if (evidence_item(c->ev, pos)->object == condition &&
			    (c->when[pos] == 0
				     ? comes
				     : c->when[release] != 0 && c->when[pos] > c->when[release]))
				return true;
		}
	}
	return false;
}

/* It is in the order that the thread takes the lock, and nowhere that it gives it back. */
static bool keeps(const struct checker *c, uint32_t tid, uint32_t lock)
{
	const struct evidence_thread *t = &c->ev->threads.at[tid];
	uint32_t h = t->holds.n ? t->holds.at[t->holds.n - 1].held : 0;

	while (h && c->ev->held.at[h].object != lock)
		h = c->ev->held.at[h].below;
	return h && c->when[c->ev->held.at[h].acquire] != 0;
}

/* Somebody has the lock, and does not give it back. */
static bool is_kept(const struct checker *c, const struct wait *w, uint32_t except,
		    const struct evidence_item *request)
{
	uint32_t mutex = evidence_item(c->ev, w->release)->object;

	if ((request->object != mutex && keeps_out(c, request, w->tid)) ||
	    (except != w->tid && keeps_out(c, request, except)))
		return true;
	for (uint32_t other = 1; other < c->ev->threads.n; other++)
		if (other != w->tid && other != request->tid && keeps_out(c, request, other) &&
		    keeps(c, other, request->object))
			return true;
	return false;
}

/*
 * The thread waited when the recorded run ended, and need not in this one: a signal comes later than there, or
 * a lock is free.  What it does then nobody knows.  Who joins a thread that has not ended waits for it here too.
 */
static bool may_go_on(const struct checker *c, const struct wait *w, uint32_t except, uint32_t tid)
{
	const struct evidence_thread *t = &c->ev->threads.at[tid];
	const struct evidence_item *last;
	uint64_t pos, before;

	if (t->events.n == 0 || t->ended)
		return false;
	pos = t->events.at[t->events.n - 1];
	before = t->events.n > 1 ? t->events.at[t->events.n - 2] : pos;
	last = evidence_item(c->ev, pos);
	if (last->op == EVENT_PARK)
		return (last->flags & EVENT_TRY) || wakes_later(c, w, except, tid, before, pos);
	return is_open(last) && !is_kept(c, w, except, last);
}

/* Who but the waiting thread, and `except', could still wake it? */
static void signals_doubt(struct checker *c, const struct wait *w, uint32_t except)
{
	struct trace_info info = trace_info(c->ev->trace);

	for (uint32_t tid = 1; tid < c->ev->threads.n; tid++) {
		if (tid == w->tid || tid == except)
			continue;
		if (sends_later(c, w, tid))
			check_doubt(
				c, w->release,
				"a signal that is not part of it may come later and end the wait",
				"another signal of its condition is left, which may end the wait");
		else if (!info.complete && !is_settled(c->ev, tid))
			check_doubt(
				c, w->release,
				"the recording was cut off, and a later signal may end the wait",
				"the recording was cut off, and a later signal may end the wait");
		else if (may_go_on(c, w, except, tid))
			check_doubt(
				c, w->release,
				"a thread that waited when the recorded run ended may go on and "
				"signal",
				"a thread that waited when the recorded run ended may go on "
				"here, and end the wait");
	}
}

/* ---- the two kinds ---- */

static bool holding_check(struct checker *c, const struct wait *w)
{
	const struct evidence_item *it = evidence_item(c->ev, w->other);
	uint32_t other = (uint32_t)w->other;

	if (!is_lock(it))
		return check_fail(c, other, "acquires no lock, so nobody can wait with it");
	if (c->when[w->release] ? !sleep_check(c, w) : !check_is_next(c, w->release))
		return false;
	if (!check_is_next(c, other) || !request_check(c, other))
		return false;
	if (it->object == evidence_item(c->ev, w->release)->object)
		return check_fail(c, other, "asks for %.60s, which the wait lets go of",
				  check_object_name(c, other));
	if (!keeps_out(c, it, w->tid))
		return check_fail(c, other, "%.40s does not hold %.60s here so that it must wait",
				  check_thread_name(c, w->tid), check_object_name(c, other));
	/* What follows a request that was never answered is not known.  It waits for the lock all the
	 * same, and the lock for a signal. */
	if (!is_open(it) && !sends_later(c, w, it->tid))
		return check_fail(c, other,
				  "its thread sends no signal after it that the wait is for");
	loose_doubt(c, other);
	signals_doubt(c, w, it->tid);
	return true;
}

/* Who waits on the condition right before `when' of the order; 0 nobody. */
static uint32_t waiter_find(const struct checker *c, const struct wait *w, uint32_t when)
{
	uint8_t *waits = mem_zalloc(c->ev->threads.n);
	uint32_t found = 0;

	for (uint32_t i = 0; i + 1 < when; i++) {
		uint64_t pos = c->claim->order[i];
		const struct evidence_item *it = evidence_item(c->ev, pos);
		/* The release and the park are one call. */
		uint64_t park = it->op == EVENT_PARK ? pos : evidence_park(c->ev, pos);

		if (park != 0)
			waits[it->tid] = evidence_item(c->ev, park)->object == w->condition;
		else if (it->op == EVENT_WAKE)
			waits[it->tid] = false;
	}
	for (uint32_t tid = 1; tid < c->ev->threads.n && found == 0; tid++)
		if (waits[tid])
			found = tid;
	mem_free(waits);
	return found;
}

static bool lost_check(struct checker *c, const struct wait *w)
{
	const struct evidence_item *it = evidence_item(c->ev, w->other);
	uint32_t waiter;

	if (!check_is_next(c, w->release))
		return false;
	if (!is_signal(it) || it->object != w->condition)
		return check_fail(c, w->other,
				  "is no signal of the condition that event %" PRIu64 " waits for",
				  w->release);
	if (c->when[w->other] == 0)
		return check_fail(c, w->other, "is the signal to be lost, and not in the order");
	waiter = waiter_find(c, w, c->when[w->other]);
	if (waiter != 0)
		return check_fail(c, w->other, "is not lost: %.40s waits here",
				  check_thread_name(c, waiter));
	signals_doubt(c, w, w->tid);
	return true;
}

bool check_wait(struct checker *c)
{
	struct wait w = { 0 };

	if (!wait_find(c, &w))
		return false;
	return c->claim->kind == FINDING_LOST_WAKEUP ? lost_check(c, &w) : holding_check(c, &w);
}
