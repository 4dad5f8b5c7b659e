/*
 * What a cell remembers of its accesses.
 *
 * The reference model keeps every access and compares each new one with all of them; that is what
 * `all' does, with a binary search instead of a walk: times of one chain only grow, so
 * what a clock does not know of a chain is the end of its trail.
 *
 * Otherwise an access goes when a later one stands for it: ordered after it, and in conflict with
 * everything it is in conflict with.  Whoever races with the one that went then races with the one
 * that stayed, or the two themselves raced and both are here.  At most four stay for each chain
 * (reads and writes, plain and atomic), in a cell without races one write and the reads since.
 */
#include "compare/stream_priv.h"

/* ---- pairs of events that race by some engine's order, made into findings ---- */

static void pairs_keep(struct pairs *p, const struct seen *a, const struct seen *b)
{
	struct finding *f = findings_add(&p->found, p->kind, p->engine);

	finding_add_event(f, a->pos, a->site, a->op);
	finding_add_event(f, b->pos, b->site, b->op);
	f->why = p->why;
	p->full = p->found.at.n >= (p->all ? PAIRS_ALL : PAIRS_SIGNATURES);
}

static void pairs_add_signature(struct pairs *p, const struct seen *a, const struct seen *b)
{
	const uint64_t sites[] = { a->site, b->site };
	uint64_t *known = map_put(&p->index, finding_signature_of(p->kind, sites, 2), NULL);

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

void past_pairs_add(struct pairs *p, const struct seen *a, const struct seen *b)
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

void past_pairs_end(struct pairs *p, struct engine_result *out)
{
	if (p->full)
		texts_add(&out->truncated, "%s: stopped at %zu pairs of %s; there may be more",
			  p->engine->name, p->found.at.n, p->all ? "events" : "places");
	findings_move(&out->findings, &p->found);
	findings_release(&p->found);
	map_release(&p->index);
}

/* ---- cells ---- */

static void trails_clear(struct trails *t)
{
	for (size_t i = 0; i < t->by_chain.n; i++)
		VEC_RELEASE(&t->by_chain.at[i].seen);
	VEC_RELEASE(&t->by_chain);
}

void pasts_release(struct pasts *p)
{
	for (size_t i = 0; i < p->cells.n; i++)
		mem_free(p->cells.at[i].far);
	for (size_t i = 0; i < p->trails.n; i++)
		trails_clear(&p->trails.at[i]);
	VEC_RELEASE_ALL(&p->cells, &p->trails);
}

static bool is_ordered(const struct seen *a, const struct seen *b, const struct stamp *now)
{
	return a->chain == b->chain || a->time <= stamp_other(now, a->chain);
}

/* Precondition: a is ordered before b. */
static bool stands_for(const struct seen *b, const struct seen *a)
{
	return (b->writes || !a->writes) && (!b->atomic || a->atomic);
}

static struct seen *past_list(struct past *c)
{
	return c->far ? c->far : c->near;
}

static void past_push(struct past *c, const struct seen *e)
{
	if (c->n == (c->far ? c->room : PAST_NEAR)) {
		uint32_t room = c->n * 2;

		if (c->far) {
			c->far = mem_resize(c->far, room * sizeof(*c->far));
		} else {
			c->far = mem_alloc(room * sizeof(*c->far));
			memcpy(c->far, c->near, sizeof(c->near));
		}
		c->room = room;
	}
	past_list(c)[c->n++] = *e;
}

static void past_access(struct pasts *p, struct past *c, const struct stamp *now,
			const struct seen *e, struct pairs *out)
{
	struct seen *at = past_list(c);
	bool replace = p->last_write && e->writes;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct seen *a = &at[i];
		bool ordered = is_ordered(a, e, now), race = !ordered && seen_conflict(a, e);

		if (race)
			past_pairs_add(out, a, e);
		if ((ordered || (race && replace)) && stands_for(e, a))
			continue;
		if (kept != i)
			at[kept] = *a;
		kept++;
	}
	c->n = kept;
	past_push(c, e);
}

/* The first access of the trail that the clock does not know. */
static size_t trail_unknown(const struct trail *t, const struct stamp *now)
{
	uint32_t known = stamp_other(now, t->chain);

	return SEARCH_PAST(i, 0, t->seen.n, t->seen.at[i].time <= known);
}

static void trails_access(struct trails *c, const struct stamp *now, const struct seen *e,
			  struct pairs *out)
{
	struct trail *own = NULL;

	for (size_t i = 0; i < c->by_chain.n; i++) {
		struct trail *t = &c->by_chain.at[i];

		if (t->chain == e->chain) {
			own = t;
			continue;
		}
		for (size_t k = trail_unknown(t, now); k < t->seen.n && !out->full; k++)
			if (seen_conflict(&t->seen.at[k], e))
				past_pairs_add(out, &t->seen.at[k], e);
	}
	if (!own) {
		own = VEC_PUSH(&c->by_chain);
		*own = (struct trail){ .chain = e->chain };
	}
	*VEC_PUSH(&own->seen) = *e;
}

void pasts_access(struct pasts *p, const uint32_t *cells, uint32_t ncells, const struct stamp *now,
		  const struct seen *e, struct pairs *out)
{
	for (uint32_t i = 0; i < ncells; i++) {
		if (p->all) {
			VEC_REACH(&p->trails, cells[i]);
			trails_access(&p->trails.at[cells[i]], now, e, out);
		} else {
			VEC_REACH(&p->cells, cells[i]);
			past_access(p, &p->cells.at[cells[i]], now, e, out);
		}
	}
}

static void past_copy(struct past *into, const struct past *from)
{
	*into = *from;
	if (from->far) {
		into->far = mem_alloc(from->room * sizeof(*from->far));
		memcpy(into->far, from->far, from->n * sizeof(*from->far));
	}
}

static void trails_copy(struct trails *into, const struct trails *from)
{
	for (size_t i = 0; i < from->by_chain.n; i++) {
		const struct trail *t = &from->by_chain.at[i];
		struct trail *copy = VEC_PUSH(&into->by_chain);

		*copy = (struct trail){ .chain = t->chain };
		VEC_APPEND(&copy->seen, t->seen.at, t->seen.n);
	}
}

void pasts_split(struct pasts *p, uint32_t from, uint32_t to)
{
	uint32_t last = from > to ? from : to;

	if (p->all) {
		VEC_REACH(&p->trails, last);
		trails_copy(&p->trails.at[to], &p->trails.at[from]);
	} else {
		VEC_REACH(&p->cells, last);
		past_copy(&p->cells.at[to], &p->cells.at[from]);
	}
}

void pasts_drop(struct pasts *p, uint32_t cell)
{
	if (cell < p->trails.n)
		trails_clear(&p->trails.at[cell]);
	if (cell < p->cells.n) {
		mem_free(p->cells.at[cell].far);
		p->cells.at[cell] = (struct past){ 0 };
	}
}
