/*
 * The first few and the last few.  The last waits are the likely ones: fewer signals are left.  The first
 * ones have a short past, so a search sees all of it.
 */
#include "predict/limits.h"
#include "predict/waits_priv.h"

_Static_assert(WAITS_TRIES == LIMIT_TRIES, "the same limit as elsewhere");

#define HALF (WAITS_TRIES / 2)

void waits_picks_release(struct waits_picks *p)
{
	map_release(&p->by_key);
	VEC_RELEASE(&p->at);
}

void waits_picks_add(struct waits_picks *p, uint64_t key, struct waits_item item)
{
	uint64_t *at = map_put(&p->by_key, key, NULL);
	struct waits_pick *k;

	if (*at == 0) {
		*VEC_PUSH(&p->at) = (struct waits_pick){ .key = key };
		*at = p->at.n;
	}
	k = &p->at.at[*at - 1];
	k->at[k->n < HALF ? k->n : HALF + k->n % HALF] = item;
	k->n++;
}

uint32_t waits_pick_count(const struct waits_pick *p)
{
	return p->n < WAITS_TRIES ? (uint32_t)p->n : WAITS_TRIES;
}

struct waits_item waits_pick_get(const struct waits_pick *p, uint32_t i)
{
	uint64_t number = p->n - 1 - i; /* of those that were met */

	if (i >= HALF && p->n > WAITS_TRIES)
		number = WAITS_TRIES - 1 - i;
	return p->at[number < HALF ? number : HALF + number % HALF];
}
