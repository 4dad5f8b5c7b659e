#include "explore/chance.h"

static uint64_t random_next(uint64_t *state)
{
	*state += HASH_GOLDEN;
	return hash_pair(*state, *state >> 32);
}

static const char *name_of(enum baton_policy policy)
{
	switch (policy) {
	case BATON_PCT:
		return "pct";
	case BATON_POS:
		return "pos";
	default:
		return "random";
	}
}

/* The length of runs must be known before a place in one can be drawn. */
static enum search_end run_first(struct search *s, struct diag *d)
{
	const struct search_ask ask = { .policy = BATON_GO_ON };

	return s->longest > 0 ? SEARCH_WHOLE : search_run(s, &ask, d);
}

/*
 * Drawn in no order, and one may come twice: the priorities that threads fall to are in the order of the
 * table, and which of them comes first in the run is for chance to say, too.
 */
static uint32_t draw_changes(const struct search *s, const struct chance *c, uint64_t *random,
			     uint32_t *changes)
{
	uint32_t n = c->depth > 0 ? c->depth - 1 : 0;

	if (n > BATON_CHANGES)
		n = BATON_CHANGES;
	for (uint32_t i = 0; i < n; i++)
		changes[i] = (uint32_t)(random_next(random) % (s->longest > 0 ? s->longest : 1));
	return n;
}

struct drawing {
	struct search *search;
	const struct chance *chance;
	uint64_t begin;
	uint32_t changes[BATON_CHANGES];
};

/* The run of this number, from 0. */
static struct search_ask draw(struct drawing *w, uint64_t number)
{
	uint64_t random = hash_pair(w->begin, number);
	struct search_ask ask = { .policy = w->chance->policy, .changes = w->changes };

	if (ask.policy == BATON_PCT)
		ask.nchanges = draw_changes(w->search, w->chance, &random, w->changes);
	ask.seed = random_next(&random);
	return ask;
}

/* The run that is under way is counted already.  When runs get longer other changes are drawn. */
static bool guess(void *arg, uint32_t nth, struct search_ask *ask)
{
	struct drawing *w = arg;

	*ask = draw(w, w->chance->done + nth);
	return w->chance->done + nth < w->chance->runs;
}

enum search_end chance_search(struct search *s, struct chance *c, struct diag *d)
{
	struct drawing w = { .search = s,
			     .chance = c,
			     .begin = hash_pair(hash_pair(s->seed, c->policy), c->depth) };
	enum search_end end = SEARCH_WHOLE;

	c->done = 0;
	s->strategy = name_of(c->policy);
	if (c->policy == BATON_PCT)
		end = run_first(s, d);
	s->guess = guess;
	s->guess_arg = &w;
	while (end == SEARCH_WHOLE && c->done < c->runs) {
		struct search_ask ask = draw(&w, c->done++);

		end = search_run(s, &ask, d);
	}
	s->guess = NULL;
	c->threads = s->threads;
	c->steps = s->longest;
	return end;
}

double chance_missed(const struct chance *c)
{
	double hit = 1.0 / (c->threads > 0 ? c->threads : 1), missed = 1.0;

	for (uint32_t i = 1; i < c->depth; i++)
		hit /= c->steps > 0 ? c->steps : 1;
	/* By squares, for there may be many runs. */
	for (uint64_t n = c->done, bit = 1; n != 0 && bit != 0; n >>= 1) {
		double power = 1.0 - hit;

		for (uint64_t k = 1; k < bit; k <<= 1)
			power *= power;
		if (n & 1)
			missed *= power;
		bit <<= 1;
	}
	return missed;
}
