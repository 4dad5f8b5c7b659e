/*
 * When a level can be built, what to count, and which violations it shows.
 *
 * The reference model:
 *
 *	level(0)     = { (nothing, initial configuration) }
 *	level(n + 1) = { (K + m, step(c, m)) : (K, c) in level(n), m the next point of some lane,
 *			 all that m needs is in K, sets that m starts may be started in K }
 *
 * tests/unit/test_lattice_random.c holds all of this room to it.
 *
 * A level is built when nothing that may still come could change it:
 *
 *	- a lane whose known points are all in some cut has ended, or waits for a point that is not
 *	  known yet, which no cut can have;
 *	- no point was refused only because a set might get more members.
 *
 * What the properties say of the recorded run is not asked here: whoever sends the points sees all
 * of it, past what no other run can have, and watches it on the way (predict/lattice_engines.c).
 */
#include "lattice/lattice_priv.h"

#define BUDGET UINT64_C(200000000)
#define HORIZON (1u << 20)
#define MEMORY_LEAST (UINT64_C(64) << 20)
#define COLLECT 65536 /* configurations */

/* --- violations --- */

static void add_found(struct lattice *l, uint32_t property, bool error, uint64_t level,
		      const uint32_t *cut, uint32_t n)
{
	struct lattice_found *f = VEC_PUSH(&l->found);
	struct lattice_step step;
	uint64_t bit = UINT64_C(1) << property;

	*f = (struct lattice_found){ .property = property, .error = error, .level = level };
	VEC_APPEND(&f->cut, cut, n);
	if (level == 0)
		return;
	if (!lattice_step_back(l, &l->level, cut, n, UINT32_MAX, error ? 0 : bit, error ? bit : 0,
			       &step))
		BUG("no step leads to a violation at level %" PRIu64, level);
	f->pos = lanes_at(&l->lanes, step.lane, cut[step.lane] - 1)->pos;
}

/* A configuration that no level had before. */
static void look_at(struct lattice *l, const struct level *v, size_t entry)
{
	uint32_t config = v->configs[entry], n = v->packing->nlanes;
	uint64_t bad = config_bad(l->opt.configs, config) & ~l->seen.bad;
	uint64_t error = config_error(l->opt.configs, config) & ~l->seen.error;
	uint32_t *cut;

	l->seen.bad |= bad;
	l->seen.error |= error;
	l->seen.unknown |= config_unknown(l->opt.configs, config);
	if (!(bad | error))
		return;
	cut = mem_alloc((n + 1) * sizeof(*cut));
	packing_cut(v->packing, v->keys + entry * v->packing->words, cut);
	for (; bad; bad &= bad - 1)
		add_found(l, (uint32_t)__builtin_ctzll(bad), false, v->number, cut, n);
	for (; error; error &= error - 1)
		add_found(l, (uint32_t)__builtin_ctzll(error), true, v->number, cut, n);
	mem_free(cut);
}

/* A verdict never changes, so each configuration is looked at once. */
static void look_for_violations(struct lattice *l, const struct level *v)
{
	for (size_t i = 0; v->configs && i < v->n; i++) {
		uint32_t config = v->configs[i];

		if (config < l->verdicts.n && l->verdicts.at[config])
			continue;
		VEC_REACH(&l->verdicts, config);
		l->verdicts.at[config] = 1;
		look_at(l, v, i);
	}
}

/* --- configurations nobody has any more --- */

static void collect(struct lattice *l)
{
	struct configs *c = l->opt.configs;

	if (!c || l->opt.keep || configs_count(c) < l->collect_at)
		return;
	for (size_t i = 0; i < l->level.n; i++)
		config_mark(c, l->level.configs[i]);
	configs_sweep(c);
	expand_forget(l->expand);
	VEC_CLEAR(&l->verdicts);
	l->collect_at = configs_count(c) * 2 > COLLECT ? configs_count(c) * 2 : COLLECT;
}

/* --- making and unmaking --- */

struct lattice *lattice_new(const struct lattice_options *opt)
{
	struct lattice *l = mem_zalloc(sizeof(*l));

	l->opt = *opt;
	if (!l->opt.memory)
		l->opt.memory = mem_share(1, 4);
	if (l->opt.memory < MEMORY_LEAST && !opt->memory)
		l->opt.memory = MEMORY_LEAST;
	if (!l->opt.budget)
		l->opt.budget = BUDGET;
	if (!l->opt.horizon)
		l->opt.horizon = HORIZON;
	if (l->opt.keep)
		l->opt.jobs = 1;
	l->lanes.free_bits = ~(UINT64_C(1) << LANE_BIT_ODD);
	l->expand = expand_new(l->opt.jobs);
	l->packing = packing_new(0);
	l->packing->guards = mem_zalloc(sizeof(*l->packing->guards));
	l->level = (struct level){
		.n = 1, .cuts = 1, .limbs = opt->count, .most = 1, .packing = l->packing
	};
	level_reserve(&l->level, 1, opt->configs != NULL);
	l->level.keys[0] = 0;
	if (opt->count)
		l->level.counts[0] = 1;
	l->cuts = l->widest = 1;
	l->tried = UINT64_MAX;
	l->collect_at = COLLECT;
	if (opt->configs) {
		l->level.configs[0] = config_initial(opt->configs);
		look_for_violations(l, &l->level);
	}
	return l;
}

void lattice_free(struct lattice *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->found.n; i++)
		VEC_RELEASE(&l->found.at[i].cut);
	for (size_t i = 0; i < l->kept.n; i++)
		level_release(&l->kept.at[i]);
	for (size_t i = 0; i < l->packings.n; i++)
		packing_free(l->packings.at[i]);
	for (size_t i = 0; i < l->window.n; i++) {
		VEC_RELEASE_ALL(&l->window.at[i].rows, &l->window.at[i].starts,
				&l->window.at[i].open);
	}
	level_release(&l->level);
	level_release(&l->next);
	packing_free(l->packing);
	lanes_release(&l->lanes);
	expand_free(l->expand);
	big_release(&l->runs);
	big_release(&l->violating);
	VEC_RELEASE_ALL(&l->found, &l->kept, &l->packings, &l->window, &l->views, &l->top,
			&l->passed, &l->observed_cut, &l->verdicts);
	mem_free(l);
}

void lattice_check(const struct lattice *l)
{
	const struct level *v = &l->level;

	lanes_check(&l->lanes);
	for (size_t i = 1; i < v->n; i++) {
		uint32_t words = v->packing->words;
		int order = packing_compare(v->keys + (i - 1) * words, v->keys + i * words, words);

		assert(order < 0 ||
		       (order == 0 && v->configs && v->configs[i - 1] < v->configs[i]));
	}
}

/* --- receiving --- */

static void sink_set(void *arg, uint32_t set, uint32_t resource, unsigned flags)
{
	struct lattice *l = arg;

	if (!l->stopped)
		lanes_set(&l->lanes, set, resource, flags);
}

static void leave_out(struct lattice *l, enum cut_reason why, uint64_t level, uint64_t cuts)
{
	if (l->why == CUT_NONE) {
		l->why = why;
		l->why_level = level;
	}
	l->left_out += cuts;
}

/* The point could have come in a level that is built already, where some cut had all that it needs:
 * its lane was said to wait and went on by itself, or nobody has forked its thread. */
static bool comes_delayed(const struct lattice *l, const struct point *m)
{
	uint32_t own = m->lane < l->lanes.at.n ? l->lanes.at.at[m->lane].known : 0;
	bool delayed =
		l->level.number > 0 && own <= (m->lane < l->passed.n ? l->passed.at[m->lane] : 0);

	for (uint32_t i = 0; delayed && i < m->nneeds; i++) {
		uint32_t u = m->needs[i].lane;

		delayed = m->needs[i].count <= (u < l->passed.n ? l->passed.at[u] : 0);
	}
	return delayed;
}

static void sink_point(void *arg, const struct point *m)
{
	struct lattice *l = arg;

	if (!l->stopped && comes_delayed(l, m))
		leave_out(l, CUT_DELAYED, l->level.number, 0);
	if (!l->stopped)
		lanes_point(&l->lanes, m);
	else
		l->lanes.arrived++;
}

static void sink_close(void *arg, uint32_t set)
{
	struct lattice *l = arg;

	lanes_close(&l->lanes, set);
}

static void sink_wait(void *arg, uint32_t lane, bool waits)
{
	struct lattice *l = arg;
	struct lane *q = lanes_reach(&l->lanes, lane);

	q->waits = waits;
	q->ended = false;
	l->lanes.news++;
}

static void sink_end(void *arg, uint32_t lane)
{
	struct lattice *l = arg;

	lanes_reach(&l->lanes, lane)->ended = true;
	l->lanes.news++;
}

struct point_sink lattice_sink(struct lattice *l)
{
	return (struct point_sink){ .arg = l,
				    .set = sink_set,
				    .point = sink_point,
				    .close = sink_close,
				    .wait = sink_wait,
				    .end = sink_end };
}

/* --- building --- */

/* Some cut has all known points of a lane that may get more. */
static bool lane_missing(const struct lattice *l)
{
	for (size_t i = 0; i < l->lanes.at.n; i++) {
		const struct lane *q = &l->lanes.at.at[i];

		if (!q->ended && !q->waits && (i < l->top.n ? l->top.at[i] : 0) >= q->known)
			return true;
	}
	return false;
}

static bool is_ready(struct lattice *l)
{
	if (!lane_missing(l))
		return true;
	if (!l->top_loose)
		return false;
	packing_measure(l);
	return !lane_missing(l);
}

/* A sum of as many counts as there are lanes must fit. */
static void widen_counts(struct lattice *l)
{
	struct level *v = &l->level;
	uint32_t had = v->limbs;

	if (!had || v->most < UINT64_MAX / (l->packing->nactive + 1) - 1)
		return;
	v->limbs++;
	level_reserve(v, v->n, v->configs != NULL);
	for (size_t i = v->n; i-- > 0;) {
		memmove(v->counts + i * v->limbs, v->counts + i * had, had * sizeof(*v->counts));
		v->counts[i * v->limbs + had] = 0;
	}
	v->most = 0;
}

/* Cuts of a level that are kept. */
static uint64_t breadth(const struct lattice *l)
{
	if (l->cuts >= l->opt.budget)
		return 1;
	return l->opt.breadth ? l->opt.breadth : UINT64_MAX;
}

static void cut_level(struct lattice *l, struct level *v, uint64_t keep, enum cut_reason why)
{
	size_t had = v->cuts;

	if (had <= keep)
		return;
	level_narrow(v, l->observed_cut.at, keep);
	leave_out(l, why, v->number, had - v->cuts);
	l->top_loose = true;
}

/* The level's successors; when memory ends, those of half of it. */
static enum expand_result expand_in_memory(struct lattice *l, bool wait, uint64_t *edges,
					   uint64_t *dead, uint32_t *wait_set)
{
	for (;;) {
		uint64_t limit = l->opt.memory / level_entry_bytes(&l->level);
		enum expand_result r;

		*edges = *dead = 0;
		r = expand_level(l, l->level.cuts > 1 ? limit : SIZE_MAX, wait, edges, dead,
				 wait_set);
		if (r != EXPAND_MEMORY)
			return r;
		l->cuts -= l->level.cuts;
		cut_level(l, &l->level, (l->level.cuts + 1) / 2, CUT_MEMORY);
		l->cuts += l->level.cuts;
	}
}

static void keep_level(struct lattice *l)
{
	l->kept_bytes += l->level.n * level_entry_bytes(&l->level);
	if (!l->kept_lost && l->kept_bytes > l->opt.memory) {
		for (size_t i = 0; i < l->kept.n; i++)
			level_release(&l->kept.at[i]);
		VEC_CLEAR(&l->kept);
		l->kept_lost = true;
		leave_out(l, CUT_KEPT, l->level.number, 0);
	}
	if (l->kept_lost)
		return;
	*VEC_PUSH(&l->kept) = l->level;
	l->level = (struct level){ 0 };
}

/* The next level is the level now. */
static void advance(struct lattice *l, uint64_t edges, uint64_t dead)
{
	uint64_t bytes = (l->level.n + l->next.n) * level_entry_bytes(&l->level);
	enum cut_reason why = l->cuts >= l->opt.budget ? CUT_BUDGET : CUT_BREADTH;

	l->edges += edges;
	l->dead_ends += dead;
	l->top_loose |= dead > 0;
	l->bytes = bytes > l->bytes ? bytes : l->bytes;
	VEC_REACH(&l->observed_cut, l->lanes.at.n);
	l->observed_cut.at[lanes_order(&l->lanes, l->level.number)]++;
	cut_level(l, &l->next, breadth(l), why);
	look_for_violations(l, &l->next);
	l->widest = l->next.cuts > l->widest ? l->next.cuts : l->widest;
	l->cuts += l->next.cuts;
	if (l->opt.keep)
		keep_level(l);
	VEC_SWAP(&l->level, &l->next);
	collect(l);
}

/* Nothing was built: what has to happen before it is worth trying again. */
static bool worth_trying(const struct lattice *l)
{
	const struct lane_set *s = l->wait_set ? &l->lanes.sets.at[l->wait_set - 1] : NULL;

	if (l->tried == UINT64_MAX || l->finishing || (s && (s->closed || !s->live)))
		return true;
	return l->lanes.news - l->tried > l->level.n / 16;
}

static bool build_level(struct lattice *l)
{
	bool forced = l->lanes.arrived - l->level.number > l->opt.horizon;
	bool ready, wait = !l->finishing && !forced;
	uint64_t edges, dead;
	enum expand_result r;

	if (l->stopped || l->level.number == l->lanes.arrived || !(forced || worth_trying(l)))
		return false;
	ready = l->finishing || is_ready(l);
	if (!ready && !forced)
		return false;
	if (!ready)
		leave_out(l, CUT_HORIZON, l->level.number + 1, 0);
	packing_prepare(l);
	widen_counts(l);
	l->wait_set = 0;
	r = expand_in_memory(l, wait, &edges, &dead, &l->wait_set);
	if (r == EXPAND_STOP) {
		leave_out(l, CUT_STOP, l->level.number + 1, 0);
		l->stopped = true;
		return false;
	}
	if (r == EXPAND_WAIT || (l->next.n == 0 && wait)) {
		l->tried = l->lanes.news;
		return false;
	}
	l->tried = UINT64_MAX;
	if (l->next.n == 0) {
		l->dead_ends += dead;
		l->edges += edges;
		l->stopped = true;
		return false;
	}
	advance(l, edges, dead);
	return true;
}

void lattice_build(struct lattice *l)
{
	while (build_level(l))
		;
}

/* Runs are what leads to the cut of all points. */
static void count_runs(struct lattice *l)
{
	const struct level *v = &l->level;

	if (!v->limbs || v->number != l->lanes.arrived)
		return;
	for (size_t i = 0; i < v->n; i++) {
		struct big n = { 0 };

		big_set_limbs(&n, v->counts + i * v->limbs, v->limbs);
		big_add(&l->runs, &n);
		if (v->configs && config_bad(l->opt.configs, v->configs[i]))
			big_add(&l->violating, &n);
		big_release(&n);
	}
}

void lattice_finish(struct lattice *l)
{
	if (l->done)
		return;
	l->finishing = true;
	lattice_build(l);
	count_runs(l);
	l->done = true;
}
