/* A schedule, which is a cut of the trace and a tail, as the order of its events. */

#include "witness/check_priv.h"

#define EXPAND_FEW 16u /* one event in so many: they are gathered and sorted, not looked for */

/* The events of the cut, in the order of the trace. */
static void cut_expand(const struct evidence *ev, const struct schedule *s, uint64_t length,
		       uint64_t end, struct check_order *out)
{
	size_t first = out->at.n;

	if (length > end / EXPAND_FEW) {
		for (uint64_t pos = 1; pos <= end; pos++) {
			const struct evidence_item *it = evidence_item(ev, pos);

			if (it->tid < s->count.n && it->index < s->count.at[it->tid])
				*VEC_PUSH(&out->at) = pos;
		}
		return;
	}
	for (size_t tid = 0; tid < s->count.n; tid++)
		for (uint32_t i = 0; i < s->count.at[tid]; i++)
			*VEC_PUSH(&out->at) = evidence_find(ev, (uint32_t)tid, i);
	if (out->at.n > first)
		qsort(out->at.at + first, out->at.n - first, sizeof(*out->at.at), sort_order_u64);
}

bool check_expand(const struct evidence *ev, const struct schedule *s, struct check_order *out)
{
	uint64_t end = 0, length = 0;

	for (size_t tid = 0; tid < s->count.n; tid++) {
		uint64_t n = s->count.at[tid], last;

		if (n == 0)
			continue;
		if (n > UINT32_MAX)
			return false;
		last = evidence_find(ev, (uint32_t)tid, (uint32_t)n - 1);
		if (last == 0)
			return false;
		end = last > end ? last : end;
		length += n;
	}
	cut_expand(ev, s, length, end, out);
	for (size_t i = 0; i < s->tail.n; i++) {
		if (s->tail.at[i] == 0 || s->tail.at[i] > evidence_count(ev))
			return false;
		*VEC_PUSH(&out->at) = s->tail.at[i];
	}
	return true;
}
