/*
 * Pairs of events that race by some engine's order, made into findings.
 */
#include "compare/stream_priv.h"

static void pairs_keep(struct pairs *p, const struct seen *a, const struct seen *b)
{
	struct finding *f = findings_add_race(&p->found, p->engine, a->pos, a->site, a->op, b->pos,
					      b->site, b->op);

	f->why = p->why;
	p->full = p->found.at.n >= (p->all ? PAIRS_ALL : PAIRS_SIGNATURES);
}

static void pairs_add_signature(struct pairs *p, const struct seen *a, const struct seen *b)
{
	const uint64_t sites[] = { a->site, b->site };
	uint64_t *known = map_put(&p->index, finding_signature_of(FINDING_RACE, sites, 2), NULL);

	if (*known != 0) {
		p->found.at.at[*known - 1].more++;
		return;
	}
	pairs_keep(p, a, b);
	*known = p->found.at.n;
}

/* Wide accesses meet in several cells.  All pairs of b are found while b is the present event, so
 * it is enough to know the latest partner of a. */
static void pairs_add_event(struct pairs *p, const struct seen *a, const struct seen *b)
{
	uint64_t *partner = map_put(&p->index, a->pos, NULL);

	if (*partner != b->pos) {
		*partner = b->pos;
		pairs_keep(p, a, b);
	}
}

void pairs_add(struct pairs *p, const struct seen *a, const struct seen *b)
{
	if (p->full || (p->first == a->pos && p->second == b->pos))
		return;
	p->first = a->pos;
	p->second = b->pos;
	if (p->all)
		pairs_add_event(p, a, b);
	else
		pairs_add_signature(p, a, b);
}
