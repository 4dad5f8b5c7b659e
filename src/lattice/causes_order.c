/*
 * From a run of points back to a run of events.
 *
 * The rank of an event is the largest number in the path of a point that must come before it, or
 * is it: the same walk, with one lane for all that counts along the path.  A point that the path
 * does not have is absent, and so is all that needs it.  Events by (rank, position), those of the
 * last rank left out but for the point itself, are a correct reordering:
 *
 *	- What must come before an event has no larger rank and comes earlier in the trace, so it comes
 *	  before it here; and it is there if the event is.  That covers program order, hard edges,
 *	  guards, and by algorithm A all conflicts between accesses and, MVC, sections of locks: so every
 *	  read sees its write, and locks exclude.
 *	- A point's rank is its own number: what must come before it is earlier in the path, for the
 *	  lattice keeps to the same needs.  And it comes first of its rank, for the others come after
 *	  it in the trace.  So points are in the order of the path.
 *	- WEAK: of weak cells and of locks all events are points; that reads see their writes and that
 *	  sections do not overlap is what the lattice made the path for.
 *
 * Nothing later in the trace than all points of the path is needed, so it is left out.
 *
 * The checker tries the order all the same.
 */
#include "lattice/causes_priv.h"

#include "finding/schedule.h"

void causes_rank(struct causes *c, uint32_t tid)
{
	const struct known *now = c->lanes.at[c->lane].now;

	if (c->ranks.n == 0)
		c->first = c->pos;
	assert(c->pos == c->first + c->ranks.n);
	*VEC_PUSH(&c->ranks) = c->absent ? CAUSES_NO_RANK : known_at(now, 0);
	*VEC_PUSH(&c->tids) = tid;
}

static size_t last_of_path(const struct causes *c)
{
	uint64_t last = 0;

	for (size_t i = 0; i < c->opt.npath; i++)
		last = c->opt.path[i] > last ? c->opt.path[i] : last;
	assert(last >= c->first && last - c->first < c->ranks.n);
	return last - c->first;
}

void causes_order(const struct causes *c, struct schedule *out)
{
	size_t n = c->opt.npath, last, head = 0, *start, total;
	uint64_t *order;

	if (n == 0)
		return;
	last = last_of_path(c);
	start = mem_zalloc((n + 3) * sizeof(*start));
	order = mem_alloc((last + 2) * sizeof(*order));
	/* Absent events, and those of the last rank, come behind all that count. */
	SORT_BY_KEY(start, n + 1, i, last + 1, c->ranks.at[i] < n ? c->ranks.at[i] : n,
		    order[sort_at] = c->first + i);
	total = start[n];
	order[total++] = c->opt.path[n - 1];
	/* As long as it goes on as observed, counts say it. */
	while (head < total && (head == 0 || order[head] > order[head - 1])) {
		uint32_t tid = c->tids.at[order[head++] - c->first];

		VEC_REACH(&out->count, tid);
		out->count.at[tid]++;
	}
	VEC_APPEND(&out->tail, order + head, total - head);
	MEM_FREE_ALL(order, start);
}
