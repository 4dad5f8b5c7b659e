/*
 * What a lattice has to say: how large it is, whether all of it was built, what was found; of levels
 * that were kept, a run from the start to some cut, and a walk over all.
 */

#include "lattice/lattice_priv.h"

static void explain(const struct lattice *l, char *out, size_t n)
{
	static const char *const reasons[] = {
		[CUT_NONE] = "",
		[CUT_BREADTH] = "the breadth was reached (--breadth sets it)",
		[CUT_MEMORY] = "memory ran out (FORESEE_MEMORY=MIB sets how much may be used)",
		[CUT_BUDGET] = "the budget of cuts ran out (--budget sets it)",
		[CUT_HORIZON] = "too many points were waiting for a thread that did not go on",
		[CUT_DELAYED] = "a thread went on that seemed to wait or had not been there",
		[CUT_STOP] = "interrupted",
		[CUT_KEPT] = "levels to keep took too much memory (FORESEE_MEMORY=MIB)",
	};

	if (l->why == CUT_NONE)
		return;
	snprintf(out, n, "at level %" PRIu64 " %s", l->why_level, reasons[l->why]);
	if (l->left_out)
		snprintf(out + strlen(out), n - strlen(out),
			 ": %" PRIu64 " cut%s left out, and what follows", l->left_out,
			 l->left_out == 1 ? " was" : "s were");
}

void lattice_counts(const struct lattice *l, struct lattice_counts *out)
{
	*out = (struct lattice_counts){ .cuts = l->cuts,
					.edges = l->edges,
					.dead_ends = l->dead_ends,
					.levels = l->level.number + 1,
					.widest = l->widest,
					.counted = l->opt.count,
					.truncated = l->why != CUT_NONE,
					.bytes = l->bytes };
	big_copy(&out->runs, &l->runs);
	big_copy(&out->violating_runs, &l->violating);
	explain(l, out->why, sizeof(out->why));
}

void lattice_counts_release(struct lattice_counts *c)
{
	big_release(&c->runs);
	big_release(&c->violating_runs);
}

size_t lattice_nfound(const struct lattice *l)
{
	return l->found.n;
}

const struct lattice_found *lattice_found(const struct lattice *l, size_t i)
{
	return &l->found.at[i];
}

uint64_t lattice_unknown(const struct lattice *l)
{
	return l->seen.unknown;
}

/*
 * Every entry of a level was reached from one of the level before, so going back never gets stuck
 * and needs no links: of the cuts with one point less, some has an entry that steps here.
 */

/* Does the step from entry lead to where it should? */
static bool leads(struct lattice *l, const struct level *before, size_t entry,
		  const struct lane_point *m, uint32_t config, uint64_t bad, uint64_t error)
{
	uint32_t from, to;

	if (!before->configs || (config == UINT32_MAX && !(bad | error)))
		return true;
	from = before->configs[entry];
	to = expand_step(l, from, m);
	if (config != UINT32_MAX)
		return to == config;
	return ((config_bad(l->opt.configs, to) & ~config_bad(l->opt.configs, from)) & bad) ||
	       ((config_error(l->opt.configs, to) & ~config_error(l->opt.configs, from)) & error);
}

/* The first entry of the level with this cut; v->n: there is none. */
static size_t cut_find(const struct level *v, const uint32_t *cut, uint32_t n)
{
	uint32_t words = v->packing->words;
	uint64_t *key = mem_alloc(words * sizeof(*key));
	size_t e = v->n;

	if (packing_key(v->packing, cut, n, key))
		e = SEARCH_PAST(i, 0, v->n, packing_compare(v->keys + i * words, key, words) < 0);
	if (e < v->n && packing_compare(v->keys + e * words, key, words) != 0)
		e = v->n;
	mem_free(key);
	return e;
}

bool lattice_step_back(struct lattice *l, const struct level *before, const uint32_t *cut,
		       uint32_t n, uint32_t config, uint64_t bad, uint64_t error,
		       struct lattice_step *out)
{
	uint32_t *back = mem_alloc((n + 1) * sizeof(*back));
	bool found = false;

	memcpy(back, cut, n * sizeof(*back));
	for (uint32_t lane = 0; lane < n && !found; lane++) {
		size_t first, e;

		if (!cut[lane])
			continue;
		back[lane]--;
		first = e = cut_find(before, back, n);
		found = e < before->n &&
			packing_enabled(l, before->packing,
					before->keys + e * before->packing->words, lane);
		while (found && !leads(l, before, e, lanes_at(&l->lanes, lane, back[lane]), config,
				       bad, error))
			found = ++e < before->n && level_same_cut(before, first, e);
		if (found)
			*out = (struct lattice_step){ lane, before->configs ? before->configs[e]
									    : UINT32_MAX };
		back[lane]++;
	}
	mem_free(back);
	return found;
}

static const struct level *kept_level(const struct lattice *l, uint64_t number)
{
	return number < l->kept.n ? &l->kept.at[number] : &l->level;
}

bool lattice_path(const struct lattice *l, const struct lattice_found *f, struct lattice_run *out)
{
	/* Steps of configurations are cached on the way, which changes no answer. */
	struct lattice *own = (struct lattice *)l;
	uint64_t bit = UINT64_C(1) << f->property, bad = f->error ? 0 : bit;
	uint64_t error = f->error ? bit : 0;
	uint32_t n = (uint32_t)f->cut.n, config = UINT32_MAX;
	uint32_t *cut = mem_alloc((n + 1) * sizeof(*cut));
	bool good = l->opt.keep && !l->kept_lost && f->level <= l->level.number;

	memcpy(cut, f->cut.at, n * sizeof(*cut));
	VEC_CLEAR(&out->pos);
	for (uint64_t level = f->level; good && level-- > 0;) {
		struct lattice_step s;

		good = lattice_step_back(own, kept_level(l, level), cut, n, config, bad, error, &s);
		if (!good)
			break;
		*VEC_PUSH(&out->pos) = lanes_at(&l->lanes, s.lane, --cut[s.lane])->pos;
		config = s.config;
		bad = error = 0;
	}
	for (size_t i = 0, k = out->pos.n; i + 1 < k; i++, k--) {
		uint64_t pos = out->pos.at[i];

		out->pos.at[i] = out->pos.at[k - 1];
		out->pos.at[k - 1] = pos;
	}
	mem_free(cut);
	return good;
}

/* --- a walk over all --- */

struct walk {
	const struct lattice *l;
	const struct lattice_visitor *v;
	VEC(size_t) starts, next; /* by cut of the level, and of the one after: its first entry */
	VEC(uint32_t) cut, observed;
};

static void list_starts(const struct level *v, struct walk *w)
{
	VEC_CLEAR(&w->next);
	for (size_t i = 0; i < v->n; i++)
		if (i == 0 || !level_same_cut(v, i - 1, i))
			*VEC_PUSH(&w->next) = i;
}

/* Number among the cuts of the level after; false: it is not there. */
static bool find_next(const struct walk *w, const struct level *after, uint64_t *out)
{
	size_t e = cut_find(after, w->cut.at, (uint32_t)w->cut.n);

	if (e == after->n)
		return false;
	*out = SEARCH_PAST(i, 0, w->next.n, w->next.at[i] < e);
	return true;
}

static void walk_edges(struct walk *w, const struct level *v, const struct level *after,
		       size_t index)
{
	const uint64_t *key = v->keys + w->starts.at[index] * v->packing->words;

	for (uint32_t lane = 0; lane < w->cut.n; lane++) {
		struct lattice_edge e = { .level = v->number, .from = index };

		if (!packing_enabled(w->l, v->packing, key, lane))
			continue;
		e.pos = lanes_at(&w->l->lanes, lane, w->cut.at[lane])->pos;
		w->cut.at[lane]++;
		if (find_next(w, after, &e.to))
			w->v->edge(w->v->arg, &e);
		w->cut.at[lane]--;
	}
}

static bool is_dead(const struct walk *w, const struct level *v, const uint64_t *key)
{
	if (!w->l->done || v->number == w->l->lanes.arrived)
		return false;
	for (uint32_t lane = 0; lane < w->cut.n; lane++)
		if (packing_enabled(w->l, v->packing, key, lane))
			return false;
	return true;
}

static void load_cut(struct walk *w, const struct level *v, size_t entry)
{
	for (uint32_t lane = 0; lane < w->cut.n; lane++)
		w->cut.at[lane] = 0;
	packing_cut(v->packing, v->keys + entry * v->packing->words, w->cut.at);
}

static void walk_level(struct walk *w, const struct level *v, const struct level *after)
{
	for (size_t i = 0; i < w->starts.n; i++) {
		size_t from = w->starts.at[i];
		size_t to = i + 1 < w->starts.n ? w->starts.at[i + 1] : v->n;
		struct lattice_node n = { .level = v->number,
					  .index = i,
					  .cut = w->cut.at,
					  .nlanes = (uint32_t)w->cut.n,
					  .configs = v->configs ? v->configs + from : NULL,
					  .nconfigs = v->configs ? (uint32_t)(to - from) : 0 };

		load_cut(w, v, from);
		n.observed = memcmp(w->cut.at, w->observed.at, w->cut.n * sizeof(uint32_t)) == 0;
		n.dead = is_dead(w, v, v->keys + from * v->packing->words);
		w->v->node(w->v->arg, &n);
	}
	for (size_t i = 0; after && i < w->starts.n; i++) {
		load_cut(w, v, w->starts.at[i]);
		walk_edges(w, v, after, i);
	}
}

void lattice_each(const struct lattice *l, const struct lattice_visitor *v)
{
	struct walk w = { .l = l, .v = v };
	uint64_t n = l->level.number;

	if (!l->opt.keep || l->kept_lost)
		return;
	if (l->lanes.at.n) {
		VEC_REACH(&w.cut, l->lanes.at.n - 1);
		VEC_REACH(&w.observed, l->lanes.at.n - 1);
	}
	list_starts(kept_level(l, 0), &w);
	for (uint64_t i = 0; i <= n; i++) {
		VEC_SWAP(&w.starts, &w.next);
		if (i < n)
			list_starts(kept_level(l, i + 1), &w);
		walk_level(&w, kept_level(l, i), i < n ? kept_level(l, i + 1) : NULL);
		if (i == n)
			break;
		assert(w.observed.at); /* a point comes between two levels, and has a lane */
		w.observed.at[lanes_order(&l->lanes, i)]++;
	}
	VEC_RELEASE_ALL(&w.starts, &w.next, &w.cut, &w.observed);
}
