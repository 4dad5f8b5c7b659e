#include "witness/check_needs.h"

#include <string.h>

#include "base/search.h"

static uint32_t seat_get(struct needs *n, struct map *seats, uint32_t tid, uint32_t other)
{
	bool fresh;
	uint64_t *seat = map_put(seats, (uint64_t)tid << 32 | other, &fresh);

	if (fresh) {
		*seat = n->others.n;
		*VEC_PUSH(&n->others) = other;
		*VEC_PUSH(&n->latest) = 0;
	}
	return (uint32_t)*seat;
}

/* What all steps so far come to, if there are enough since the last one. */
static void sample_take(struct needs *n)
{
	size_t last = n->samples.n ? n->samples.at[n->samples.n - 1].step : 0;
	size_t nseats = n->latest.n;

	if (n->steps.n - last < nseats)
		return;
	*VEC_PUSH(&n->samples) =
		(struct sample){ (uint32_t)n->steps.n, (uint32_t)nseats, n->rows.n };
	VEC_RESERVE(&n->rows, n->rows.n + nseats);
	memcpy(n->rows.at + n->rows.n, n->latest.at, nseats * sizeof(*n->rows.at));
	n->rows.n += nseats;
}

void check_needs_add(struct needs *n, struct map *seats, const struct evidence_item *it,
		     uint32_t other, uint32_t count)
{
	uint32_t seat;

	if (other == it->tid)
		return;
	seat = seat_get(n, seats, it->tid, other);
	if (n->latest.at[seat] >= count)
		return;
	n->latest.at[seat] = count;
	*VEC_PUSH(&n->steps) = (struct need){ it->index, count, seat };
	sample_take(n);
}

void check_needs_release(struct needs *n)
{
	VEC_RELEASE_ALL(&n->others, &n->latest, &n->steps, &n->samples, &n->rows);
}

/* Steps of the first `count' events. */
static size_t steps_before(const struct needs *n, uint64_t count)
{
	return SEARCH_PAST(i, 0, n->steps.n, n->steps.at[i].index < count);
}

/* The last sample that has none but the first nsteps steps; NULL: there is none. */
static const struct sample *sample_find(const struct needs *n, size_t nsteps)
{
	size_t past = SEARCH_PAST(i, 0, n->samples.n, n->samples.at[i].step <= nsteps);

	return past ? &n->samples.at[past - 1] : NULL;
}

bool check_needs_hold(const struct needs *n, uint64_t count, const struct schedule *s)
{
	size_t nsteps = steps_before(n, count);
	const struct sample *x = sample_find(n, nsteps);

	for (uint32_t i = 0; x && i < x->nseats; i++)
		if (n->rows.at[x->row + i] > schedule_count(s, n->others.at[i]))
			return false;
	for (size_t i = x ? x->step : 0; i < nsteps; i++)
		if (n->steps.at[i].count > schedule_count(s, n->others.at[n->steps.at[i].seat]))
			return false;
	return true;
}
