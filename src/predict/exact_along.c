/*
 * What an order does, event by event (exact.h): a read sees what it saw, or it does not; a write stores what it stored if
 * all that feeds it did.
 *
 * Who decides by comparisons alone decides the same if what it sees instead is known, and they come out the same.
 *
 * Orders may end in repeated reads which are in no record:
 *
 *	T1	rmw x, from what it has read of y: x = 1 here, and something else if y is not as it was
 *		... (while (x == 1) ...)		reads of x: nobody has logged them
 *		write z					the order ends here
 *		read x, which closes the run		binds, but is not in the order
 */
#include "base/map.h"
#include "predict/engine.h"

struct walk {
	const struct model *m;
	struct map last;   /* cell, to the last write so far */
	struct map reads;  /* that see something else */
	struct map writes; /* that store something else */
	struct map
		saw; /* reads that see something else and are compared, to 1 + the write, if its value is known */
	bool differs; /* somebody decides by what it has not seen */
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

static void note_seen(struct walk *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];
	const uint64_t *last = map_get(&w->last, w->m->touches[v->touch].cell);

	if (model_tests_of(w->m, e).n > 0 && !(v->flags & STEP_TAINTED) &&
	    !(last && has(&w->writes, *last)))
		*map_put(&w->saw, e, NULL) = 1 + (last ? *last : 0);
}

/* Event at decides as it did by what the read sees. */
static bool is_answered(const struct walk *w, uint32_t read, uint32_t at)
{
	const uint64_t *saw = map_get(&w->saw, read);
	uint32_t cell = w->m->touches[w->m->event[read].touch].cell;
	uint64_t value = 0;

	return model_is_tested(w->m, read, at) && saw &&
	       model_left(w->m, cell, (uint32_t)*saw - 1, &value) &&
	       model_tests_pass(w->m, read, at, value);
}

/* What the event decides by: of a read itself, of a USE what feeds it. */
static bool decides_otherwise(const struct walk *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];

	if (model_reads(v) && model_binds(v) && has(&w->reads, e))
		return !is_answered(w, e, e);
	for (uint32_t f = v->feed; v->op == STEP_USE && f < v[1].feed; f++)
		if (has(&w->reads, w->m->feeds[f]) && !is_answered(w, w->m->feeds[f], e))
			return true;
	return false;
}

static void walk(struct walk *w, uint32_t e)
{
	const struct model_event *v = &w->m->event[e];
	bool other = false;

	if (model_reads(v) && sees_other(w, v)) {
		map_put(&w->reads, e, NULL);
		note_seen(w, e);
	}
	w->differs |= decides_otherwise(w, e);
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

static void empty(struct exact_order *o)
{
	VEC_CLEAR(&o->observed);
	VEC_CLEAR(&o->ids);
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
	MAP_RELEASE_ALL(&w.last, &w.reads, &w.writes, &w.saw);
	if (misses)
		empty(o);
	return misses;
}

bool exact_order_answers(const struct model *m, struct exact_order *o)
{
	struct walk w = { .m = m };

	walk_all(&w, o);
	MAP_RELEASE_ALL(&w.last, &w.reads, &w.writes, &w.saw);
	if (w.differs)
		empty(o);
	return !w.differs;
}
