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
#include <inttypes.h>

#include "trace/format.h"
#include "witness/check_priv.h"

static bool is_join(const struct evidence_item *it)
{
	return it->op == EVENT_JOIN || it->op == EVENT_JOINING;
}

static bool is_lock(const struct evidence_item *it)
{
	return it->op == EVENT_ACQ || it->op == EVENT_RACQ || it->op == EVENT_REQ ||
	       it->op == EVENT_RREQ;
}

/* What came of a request is its thread's next event: then that is the one to name.  Of a lock of
 * the program's own the wait itself may be recorded. */
static bool open_check(struct checker *c, uint64_t pos)
{
	const struct evidence_item *it = evidence_item(c->ev, pos);
	const struct evidence_thread *t = &c->ev->threads.at[it->tid];
	bool own = it->op != EVENT_JOINING && it->kind == FORMAT_LOCK_USER;
	uint32_t next = it->index + 1;

	if (it->op != EVENT_REQ && it->op != EVENT_RREQ && it->op != EVENT_JOINING)
		return true;
	while (own && next < t->events.n &&
	       evidence_is_waiting(evidence_item(c->ev, t->events.at[next])->op))
		next++;
	if (next < t->events.n)
		return check_fail(c, pos, "was answered: event %" PRIu32 " of its thread follows",
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

	return claim->kind == FINDING_DEADLOCK && claim->ntargets == 1 &&
	       (it->op == EVENT_REQ || it->op == EVENT_RREQ);
}

bool check_is_request(struct checker *c, uint64_t pos)
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

void check_loose_doubt(struct checker *c, uint64_t pos)
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
	return check_is_next(c, pos) && check_is_request(c, pos);
}

/* Target a cannot go on before the thread of target b does. */
static bool waits_for(const struct checker *c, uint64_t a, uint64_t b)
{
	const struct evidence_item *x = evidence_item(c->ev, a);
	uint32_t tid = evidence_item(c->ev, b)->tid;

	if (is_join(x))
		return x->object == tid;
	return check_keeps_out(c, x->object, tid, x->op == EVENT_RACQ || x->op == EVENT_RREQ);
}

/* From target `at', along those in `left' (a mask) and all of them, back to the first. */
static bool circle_find(const struct checker *c, uint32_t at, unsigned left)
{
	const uint64_t *target = c->claim->targets;

	if (left == 0)
		return waits_for(c, target[at], target[0]);
	for (uint32_t i = 1; i < c->claim->ntargets; i++)
		if (left >> i & 1 && waits_for(c, target[at], target[i]) &&
		    circle_find(c, i, left & ~(1u << i)))
			return true;
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
	if (!circle_find(c, 0, (1u << claim->ntargets) - 2))
		return circle_fail(c);
	for (uint32_t i = 0; i < claim->ntargets; i++)
		check_loose_doubt(c, claim->targets[i]);
	return true;
}
