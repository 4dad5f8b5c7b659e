/* The targets of a race: next in their threads, and in conflict. */
#include <inttypes.h>

#include "witness/check_priv.h"

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
