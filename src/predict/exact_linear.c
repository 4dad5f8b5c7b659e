/*
 * An order of everything that is in: the observed one as far as possible, by running it.
 *
 * The run keeps to the partial order, to locks, and never overwrites what a needed read has still
 * to see.  It may come to a stand all the same, because of something it did and need not have
 * done: it took a lock that another section had to have first, or stored a value before another
 * write of the cell; it took from a semaphore what another wait had to have, or left out a post that
 * nothing called for (exact_count.c).  Whenever it stands, there is such a thing among what the threads wait for:
 * otherwise each waits, by the partial order, for an event that has not run, and that would be a
 * circle.  These are the choices of the search.
 *
 * An acquire whose section stays open is put off as long as anything else can run.
 */
#include "predict/exact_priv.h"

static bool stays_open(const struct exact *x, const struct exact_section *s)
{
	return s->release == EXACT_NONE || !exact_is_in(x, s->release);
}

static bool lock_is_free(const struct exact *x, const struct exact_section *s)
{
	const struct exact_lock *l = &x->locks.at[s->lock];

	return l->writers == 0 && (s->shared || l->readers == 0);
}

/* The cell holds something that gives the read, whose writer is not chosen, its value. */
static bool content_serves(const struct exact *x, const struct exact_touch *t)
{
	uint32_t content = x->cells.at[t->cell].content;

	if (content != EXACT_START && x->wrong.at[x->touches.at[content].node] & EXACT_WROTE_WRONG)
		return false;
	if (t->rf != EXACT_UNSET)
		return t->rf == content;
	for (uint32_t i = t->candidate; i < t->end_candidate; i++)
		if (x->candidates.at[i] == content)
			return !t->tested || exact_fits(x, t, content);
	return false;
}

/* It sees what it saw. */
static bool content_is_same(const struct exact *x, const struct exact_touch *t)
{
	uint32_t content = x->cells.at[t->cell].content;

	if (!t->tested)
		return content_serves(x, t);
	return !(content != EXACT_START &&
		 x->wrong.at[x->touches.at[content].node] & EXACT_WROTE_WRONG) &&
	       exact_is_same(x, t, content);
}

/* All of the row has run once v, which is next in its chain, has. */
static bool runs_with(struct exact *x, uint32_t row, uint32_t v)
{
	exact_count *own = &x->done.at[x->nodes.at[v].chain];
	bool ready;

	++*own;
	ready = exact_row_leq(x, exact_row(x, row), x->done.at);
	--*own;
	return ready;
}

/* What v waits for beside the partial order is none of its business. */
static bool order_allows(struct exact *x, uint32_t v)
{
	x->steps++;
	return runs_with(x, v, v);
}

/* The readers of the content have run; a read and write in one sees it itself. */
static bool write_allowed(struct exact *x, const struct exact_touch *t)
{
	const struct exact_cell *c = &x->cells.at[t->cell];

	return runs_with(x, c->content == EXACT_START ? c->row : x->touches.at[c->content].row,
			 t->node);
}

static bool read_allowed(const struct exact *x, const struct exact_touch *t)
{
	const struct exact_node *n = &x->nodes.at[t->node];

	return t->rf != EXACT_UNSET || !(n->needed || n->asked) || content_serves(x, t);
}

static bool can_run(struct exact *x, uint32_t v)
{
	const struct exact_node *n = &x->nodes.at[v];

	if (!order_allows(x, v))
		return false;
	if (n->section != EXACT_NONE && x->sections.at[n->section].acquire == v &&
	    !lock_is_free(x, &x->sections.at[n->section]))
		return false;
	if (n->counter != EXACT_NONE && !exact_count_allows(x, v))
		return false;
	for (uint32_t i = n->touch; i < exact_touch_end(x, v); i++) {
		const struct exact_touch *t = &x->touches.at[i];

		if ((t->writes && !write_allowed(x, t)) || (t->reads && !read_allowed(x, t)))
			return false;
	}
	return true;
}

/* With values or tests: which reads see, and which writes store, something else than was observed. */
static void note_values(struct exact *x, uint32_t v)
{
	uint32_t id = x->nodes.at[v].id;
	const uint32_t *feed = x->m->feeds + x->m->event[id].feed;
	uint8_t wrong = 0;

	for (uint32_t i = x->nodes.at[v].touch; i < exact_touch_end(x, v); i++)
		if (x->touches.at[i].reads && !content_is_same(x, &x->touches.at[i]))
			wrong |= EXACT_READ_WRONG;
	x->wrong.at[v] = wrong;
	for (uint32_t i = 0; !x->strict && i < model_nfeeds(x->m, id); i++) {
		bool before;
		uint32_t q = exact_node_of(x, feed[i], &before);

		if (q != EXACT_NONE && x->wrong.at[q] & EXACT_READ_WRONG)
			wrong |= EXACT_WROTE_WRONG;
	}
	x->wrong.at[v] = wrong;
}

static void run_node(struct exact *x, uint32_t v)
{
	const struct exact_node *n = &x->nodes.at[v];

	if (x->values || x->loose)
		note_values(x, v);
	if (n->section != EXACT_NONE) {
		const struct exact_section *s = &x->sections.at[n->section];
		struct exact_lock *l = &x->locks.at[s->lock];
		uint32_t *count = s->shared ? &l->readers : &l->writers;

		if (s->acquire != s->release)
			*count += s->acquire == v ? 1 : -1u;
	}
	if (n->counter != EXACT_NONE)
		exact_count_run(x, v);
	for (uint32_t i = n->touch; i < exact_touch_end(x, v); i++) {
		const struct exact_touch *t = &x->touches.at[i];

		/* By write_allowed; what is left of a claim that the rules make. */
		assert(!t->reads || !n->needed || t->rf == EXACT_UNSET ||
		       t->rf == x->cells.at[t->cell].content);
		if (t->writes)
			x->cells.at[t->cell].content = i;
	}
	x->done.at[n->chain]++;
	*VEC_PUSH(&x->line) = v;
}

static void start(struct exact *x)
{
	memset(x->done.at, 0, x->width * sizeof(*x->done.at));
	VEC_CLEAR(&x->line);
	VEC_CLEAR(&x->choices);
	for (size_t i = 0; i < x->cells.n; i++)
		x->cells.at[i].content = EXACT_START;
	for (size_t i = 0; i < x->locks.n; i++)
		x->locks.at[i].writers = x->locks.at[i].readers = 0;
	for (size_t i = 0; i < x->sections.n; i++) {
		const struct exact_section *s = &x->sections.at[i];

		if (s->acquire != EXACT_NONE)
			continue;
		x->locks.at[s->lock].writers += !s->shared;
		x->locks.at[s->lock].readers += s->shared;
	}
	for (size_t i = 0; i < x->counters.n; i++)
		x->counters.at[i].now = x->counters.at[i].value;
}

static bool is_held(const struct exact *x, const struct exact_section *s)
{
	return (s->acquire == EXACT_NONE || exact_has_run(x, s->acquire)) &&
	       (s->release == EXACT_NONE || !exact_has_run(x, s->release));
}

/* What keeps v, which the partial order allows, from running. */
static void find_choices(struct exact *x, uint32_t v)
{
	const struct exact_node *n = &x->nodes.at[v];

	if (n->section != EXACT_NONE && x->sections.at[n->section].acquire == v) {
		const struct exact_section *s = &x->sections.at[n->section];
		const struct exact_lock *l = &x->locks.at[s->lock];

		for (uint32_t i = l->first; i < l->end; i++)
			for (uint32_t j = x->groups.at[i].first; j < x->groups.at[i].end; j++) {
				uint32_t o = x->by_lock.at[j];

				if (exact_excludes(&x->sections.at[o], s) &&
				    is_held(x, &x->sections.at[o]))
					exact_choice_add(x, EXACT_SECTIONS, n->section, o);
			}
	}
	if (n->counter != EXACT_NONE)
		exact_count_choices(x, v);
	for (uint32_t i = n->touch; i < exact_touch_end(x, v); i++) {
		const struct exact_touch *t = &x->touches.at[i];

		if (t->writes && !write_allowed(x, t))
			exact_choice_add(x, EXACT_WRITES, i, x->cells.at[t->cell].content);
		if (t->reads && !read_allowed(x, t))
			exact_choice_add(x, EXACT_READ, i, x->candidates.at[t->candidate]);
	}
}

static uint32_t next_of(const struct exact *x, uint32_t k)
{
	if (x->done.at[k] >= exact_cut(x)[k])
		return EXACT_NONE;
	return x->offset.at[k] + (uint32_t)x->done.at[k];
}

static bool is_better(const struct exact *x, uint32_t v, uint32_t than)
{
	return than == EXACT_NONE || x->clumsy != (x->nodes.at[v].id < x->nodes.at[than].id);
}

/* The earliest event that can run, but acquires that stay open after all others. */
static uint32_t pick_next(struct exact *x)
{
	uint32_t best = EXACT_NONE, later = EXACT_NONE;

	for (uint32_t k = 0; k < x->nchains; k++) {
		uint32_t v = next_of(x, k), *pick = &best;
		const struct exact_node *n;

		if (v == EXACT_NONE)
			continue;
		n = &x->nodes.at[v];
		if (n->section != EXACT_NONE && x->sections.at[n->section].acquire == v &&
		    stays_open(x, &x->sections.at[n->section]) && !x->clumsy)
			pick = &later;
		if (is_better(x, v, *pick) && can_run(x, v))
			*pick = v;
	}
	return best != EXACT_NONE ? best : later;
}

bool exact_linearise(struct exact *x)
{
	bool all = true;

	start(x);
	for (;;) {
		uint32_t v = pick_next(x);

		if (v == EXACT_NONE)
			break;
		run_node(x, v);
	}
	for (uint32_t k = 0; k < x->nchains; k++) {
		uint32_t v = next_of(x, k);

		if (v == EXACT_NONE)
			continue;
		all = false;
		if (order_allows(x, v))
			find_choices(x, v);
	}
	return all;
}
