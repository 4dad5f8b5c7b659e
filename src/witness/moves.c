#include "witness/moves.h"

#include "trace/trace.h"
#include "witness/evidence_priv.h"

#define REREADS \
	2 /* that may close runs of dropped reads between the two halves of an instruction */

/* The recorder calls a read free only if its instruction stores the outcome in its place, and says so
 * right before that store. */
static bool is_in_place(const struct evidence *ev, const struct evidence_event *e)
{
	struct evidence_event before = *e;

	if (e->op == EVENT_READ)
		return e->flags & EVENT_FREE_READ;
	for (int i = 0; i <= REREADS && before.index > 0; i++) {
		uint64_t pos = evidence_find(ev, e->tid, before.index - 1);

		if (pos == 0)
			return false;
		before = evidence_get(ev, pos);
		if (!(before.flags & EVENT_REREAD))
			break;
	}
	return before.op == EVENT_READ && (before.flags & EVENT_FREE_READ) &&
	       before.site == e->site && before.addr == e->addr && before.len == e->len;
}

/* As the format has accesses by one instruction; others are ranges. */
static bool is_of_atomic_size(uint64_t len)
{
	return len == 1 || len == 2 || len == 4 || len == 8 || len == 16;
}

bool moves_may_be_atomic(const struct evidence *ev, uint64_t pos)
{
	struct evidence_event e = evidence_get(ev, pos);
	struct trace_site site = { 0 };

	if (e.flags & EVENT_ATOMIC)
		return true;
	if (e.op != EVENT_READ && e.op != EVENT_WRITE)
		return false;
	if ((e.flags & EVENT_RANGE) || !is_of_atomic_size(e.len) || e.addr % e.len != 0)
		return false;
	trace_site(evidence_trace(ev), e.site, &site);
	return !site.call && !(site.gcc && is_in_place(ev, &e));
}

bool moves_may_be_more(const struct evidence *ev, uint64_t pos)
{
	struct evidence_event e = evidence_get(ev, pos);
	struct trace_site site = { 0 };

	/* The recorder calls all that the library does an atomic that orders nothing. */
	if (e.op != EVENT_READ || !(e.flags & EVIDENCE_RELAXED))
		return false;
	trace_site(evidence_trace(ev), e.site, &site);
	return !site.call;
}

bool moves_may_be_wider(const struct evidence *ev, uint64_t pos, uint64_t other)
{
	struct evidence_event e = evidence_get(ev, pos), o = evidence_get(ev, other);
	struct trace_site site = { 0 };

	if (e.op != EVENT_READ || (o.addr <= e.addr && e.addr + e.len <= o.addr + o.len))
		return false;
	trace_site(evidence_trace(ev), e.site, &site);
	return !site.call;
}
