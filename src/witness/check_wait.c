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
#include <inttypes.h>

#include "witness/check_priv.h"

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
	return !(last->flags & EVENT_TRY) && (last->op == EVENT_REQ || last->op == EVENT_RREQ ||
					      last->op == EVENT_JOINING || last->op == EVENT_PARK);
}

/* Who but the waiting thread, and `except', could still wake it? */
static void signals_doubt(struct checker *c, const struct wait *w, uint32_t except)
{
	struct trace_info info;

	trace_info(c->ev->trace, &info);
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
	}
}

/* ---- the two kinds ---- */

/* A request that was never answered, if check_is_request agrees. */
static bool is_open(const struct evidence_item *it)
{
	return it->op == EVENT_REQ || it->op == EVENT_RREQ;
}

static bool holding_check(struct checker *c, const struct wait *w)
{
	const struct evidence_item *it = evidence_item(c->ev, w->other);
	uint32_t other = (uint32_t)w->other;

	if (it->op != EVENT_ACQ && it->op != EVENT_RACQ && !is_open(it))
		return check_fail(c, other, "acquires no lock, so nobody can wait with it");
	if (c->when[w->release] ? !sleep_check(c, w) : !check_is_next(c, w->release))
		return false;
	if (!check_is_next(c, other) || !check_is_request(c, other))
		return false;
	if (it->object == evidence_item(c->ev, w->release)->object)
		return check_fail(c, other, "asks for %.60s, which the wait lets go of",
				  check_object_name(c, other));
	if (!check_keeps_out(c, it->object, w->tid, it->op == EVENT_RACQ || it->op == EVENT_RREQ))
		return check_fail(c, other, "%.40s does not hold %.60s here so that it must wait",
				  check_thread_name(c, w->tid), check_object_name(c, other));
	/* What follows a request that was never answered is not known.  It waits for the lock all the
	 * same, and the lock for a signal. */
	if (!is_open(it) && !sends_later(c, w, it->tid))
		return check_fail(c, other,
				  "its thread sends no signal after it that the wait is for");
	check_loose_doubt(c, other);
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
