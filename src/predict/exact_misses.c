/*
 * Orders that end in repeated reads which are in no record (exact.h, exact_order_misses).
 *
 *	T1	rmw x, from what it has read of y: x = 1 here, and something else if y is not as it was
 *		... (while (x == 1) ...)		reads of x: nobody has logged them
 *		write z					the order ends here
 *		read x, which closes the run		binds, but is not in the order
 *
 * Which values an order leaves as they were is known by a walk along it: a read sees what it saw, or it does not; a
 * write stores what it stored if all that feeds it did.
 */
#include "base/map.h"
#include "predict/engine.h"

struct walk {
	const struct model *m;
	struct map last;   /* cell, to the last write so far */
	struct map reads;  /* that see something else */
	struct map writes; /* that store something else */
};

static bool has(const struct map *m, uint64_t key)
{
	return map_get(m, key) != NULL;
}

static bool sees_other(const struct walk *w, const struct model_event *v)
{
	for (uint32_t i = v->touch; i < v[1].touch; i++) {
		const struct model_touch *t = &w->m->touches[i];
		const uint64_t *last = map_get(&w->last, t->cell);

		if ((last ? *last : 0) != t->seen || has(&w->writes, t->seen))
			return true;
	}
	return (v->flags & STEP_TAINTED) != 0;
}

static void walk(struct walk *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];
	bool other = false;

	if (model_reads(v) && sees_other(w, v))
		map_put(&w->reads, e, NULL);
	if (!model_writes(v))
		return;
	for (uint32_t f = v->feed; f < v[1].feed; f++)
		other |= w->m->feeds[f] == 0 || has(&w->reads, w->m->feeds[f]);
	if (other)
		map_put(&w->writes, e, NULL);
	for (uint32_t i = v->touch; i < v[1].touch; i++)
		*map_put(&w->last, w->m->touches[i].cell, NULL) = e;
}

static void walk_all(struct walk *w, const struct exact_order *o)
{
	for (uint32_t e = 1; o->observed.n > 0 && e <= w->m->n; e++)
		if (model_is_in(w->m, e, o->observed.at))
			walk(w, e);
	for (size_t i = 0; i < o->ids.n; i++)
		walk(w, o->ids.at[i]);
}

/* Events of the chain in the order. */
static uint32_t count(const struct model *m, const struct exact_order *o, uint32_t chain)
{
	uint32_t n = o->observed.n > 0 ? o->observed.at[chain] : 0;

	for (size_t i = o->ids.n; i > 0; i--)
		if (m->event[o->ids.at[i - 1]].chain == chain)
			return m->event[o->ids.at[i - 1]].index + 1;
	return n;
}

/* Where the chain ends such reads go on, of what a read-modify-write fed by others, or itself, has left: that; 0 they do
 * not. */
static uint32_t repeated(const struct model *m, const struct exact_order *o, uint32_t chain)
{
	struct model_list list = model_chain(m, chain);
	struct model_stays stays = model_stays(m, chain, 0);
	uint32_t n;

	if (stays.n == 0)
		return 0; /* as in most traces */
	n = count(m, o, chain);
	if (n == 0)
		return 0;
	stays = model_stays(m, chain, n - 1);
	for (uint32_t i = 0; i < stays.n && stays.at[i].epoch < n; i++)
		if (stays.at[i].first < n && model_stay_is_fed(m, chain, &stays.at[i]))
			return list.at[stays.at[i].first - 1];
	return 0;
}

bool exact_order_misses(const struct model *m, struct exact_order *o)
{
	struct walk w = { .m = m };
	bool walked = false, misses = false;

	for (uint32_t c = 0; c < m->nchains && !misses; c++) {
		uint32_t rmw = repeated(m, o, c);

		if (rmw && !walked)
			walk_all(&w, o);
		walked |= rmw != 0;
		misses = rmw && has(&w.writes, rmw);
	}
	MAP_RELEASE_ALL(&w.last, &w.reads, &w.writes);
	if (misses) {
		VEC_CLEAR(&o->observed);
		VEC_CLEAR(&o->ids);
	}
	return misses;
}
