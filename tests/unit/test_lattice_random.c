/*
 * Random computations, with needs and sets of all kinds, against lattice_naive.c: counts, found
 * violations, paths; all at once and in portions, offline and as if the program still ran.
 */
#include <stdlib.h>

#include "lattice/lattice.h"
#include "tap.h"
#include "unit/lattice_naive.h"
#include "unit/lattice_toy.h"

#define ROUNDS 3000
#define ROUNDS_LONG 200000

static struct toy toy;

struct tally {
	const struct naive *c;
	uint64_t nodes, edges, dead, observed;
};

static void count_node(void *arg, const struct lattice_node *n)
{
	struct tally *t = arg;

	t->nodes++;
	t->dead += n->dead;
	t->observed += n->observed;
}

static void count_edge(void *arg, const struct lattice_edge *e)
{
	struct tally *t = arg;

	(void)e;
	t->edges++;
}

/* Lanes as they are known to be after the first n points. */
static void tell_lanes(const struct naive *c, uint32_t n, const struct point_sink *sink)
{
	uint32_t known[NAIVE_LANES] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		known[c->at[i].lane]++;
	for (uint32_t lane = 0; lane < c->nlanes; lane++) {
		bool waits = false, any = false;

		for (uint32_t i = n; i < c->n && !any; i++) {
			if (c->at[i].lane != lane)
				continue;
			any = true;
			for (uint32_t k = 0; k < c->at[i].nneeds; k++)
				waits |= known[c->at[i].needs[k].lane] < c->at[i].needs[k].count;
		}
		sink->wait(sink->arg, lane, waits);
		if (!any)
			sink->end(sink->arg, lane);
	}
}

static struct lattice *build(const struct naive *c, struct lattice_options opt, uint64_t *seed)
{
	struct lattice *l;
	struct point_sink sink;
	bool portions = seed && naive_number(seed, 2);

	opt.configs = c->configs ? toy.configs : NULL;
	opt.count = true;
	l = lattice_new(&opt);
	sink = lattice_sink(l);
	for (uint32_t lane = 0; lane < c->nlanes; lane++)
		sink.wait(sink.arg, lane, false);
	for (uint32_t i = 0; i < c->n; i++) {
		naive_send(c, i, &sink);
		if (!portions || naive_number(seed, 3))
			continue;
		tell_lanes(c, i + 1, &sink);
		lattice_build(l);
		lattice_check(l);
	}
	lattice_finish(l);
	lattice_check(l);
	return l;
}

static bool same_number(const struct big *b, uint64_t want)
{
	uint64_t got;

	return big_fits(b, &got) && got == want;
}

static bool same_found(const struct naive *c, const struct lattice *l, const struct naive_answer *a)
{
	bool seen[2] = { false, false };

	for (size_t i = 0; i < lattice_nfound(l); i++) {
		const struct lattice_found *f = lattice_found(l, i);

		/* The toy's numbers: bit 0 of bad is property 0, bit 1 of error property 1. */
		if (f->property > 1 || f->error != (f->property == 1) || seen[f->property] ||
		    f->level != a->found_level[f->property])
			return false;
		seen[f->property] = true;
		for (uint32_t k = 0; k < c->nlanes; k++)
			if ((k < f->cut.n ? f->cut.at[k] : 0) != a->found_cut[f->property][k])
				return false;
	}
	for (int p = 0; p < 2; p++)
		if (seen[p] != (a->found_level[p] != UINT64_MAX))
			return false;
	return true;
}

static bool same_answer(const struct naive *c, const struct lattice *l,
			const struct naive_answer *a)
{
	struct lattice_counts n;
	bool good;

	lattice_counts(l, &n);
	good = n.cuts == a->cuts && n.edges == a->edges && n.dead_ends == a->dead_ends &&
	       n.levels == a->levels && n.widest == a->widest && !n.truncated &&
	       same_number(&n.runs, a->runs) && same_number(&n.violating_runs, a->violating) &&
	       same_found(c, l, a);
	if (!good)
		printf("# cuts %llu %llu edges %llu %llu dead %llu %llu levels %llu %llu widest %llu %llu "
		       "%s found %d\n",
		       (unsigned long long)n.cuts, (unsigned long long)a->cuts,
		       (unsigned long long)n.edges, (unsigned long long)a->edges,
		       (unsigned long long)n.dead_ends, (unsigned long long)a->dead_ends,
		       (unsigned long long)n.levels, (unsigned long long)a->levels,
		       (unsigned long long)n.widest, (unsigned long long)a->widest, n.why,
		       same_found(c, l, a));
	lattice_counts_release(&n);
	return good;
}

/* The path is a run that the definition allows, and violates the property with its last point. */
static bool good_path(const struct naive *c, const struct lattice *l, const struct lattice_found *f)
{
	struct lattice_run run = { 0 };
	uint8_t cut[NAIVE_LANES] = { 0 };
	uint32_t config = 1;
	bool good = lattice_path(l, f, &run) && run.pos.n == f->level;

	for (size_t i = 0; good && i < run.pos.n; i++) {
		uint32_t point = (uint32_t)run.pos.at[i] - 1, before = config;
		int p;

		good = naive_may(c, cut, c->at[point].lane, &p) && (uint32_t)p == point;
		cut[c->at[point].lane]++;
		if (c->at[point].item)
			config = naive_step(config, c->at[point].item);
		if (i + 1 == run.pos.n)
			good = good && run.pos.at[i] == f->pos &&
			       (f->error ? !naive_error(before) && naive_error(config)
					 : !naive_bad(before) && naive_bad(config));
	}
	VEC_RELEASE(&run.pos);
	return good;
}

static bool check_kept(const struct naive *c, const struct naive_answer *a, uint64_t *seed)
{
	struct lattice *l = build(c, (struct lattice_options){ .keep = true }, seed);
	struct tally t = { .c = c };
	struct lattice_visitor v = { .arg = &t, .node = count_node, .edge = count_edge };
	bool good = same_answer(c, l, a);

	lattice_each(l, &v);
	good = good && t.nodes == a->cuts && t.edges == a->edges && t.dead == a->dead_ends;
	for (size_t i = 0; i < lattice_nfound(l); i++)
		good = good && good_path(c, l, lattice_found(l, i));
	lattice_free(l);
	return good;
}

int main(void)
{
	uint32_t rounds = (uint32_t)tap_rounds(ROUNDS, ROUNDS_LONG);
	uint64_t seed = 6, bad = 0, violating = 0, dead = 0, several = 0;

	for (uint32_t i = 0; i < rounds && !bad; i++) {
		struct naive c;
		struct naive_answer a;
		struct lattice *l;
		uint64_t was = seed;

		toy_init(&toy); /* steps are remembered by position */
		naive_random(&c, &seed);
		naive_solve(&c, &a);
		l = build(&c, (struct lattice_options){ 0 }, NULL);
		bad += !same_answer(&c, l, &a);
		lattice_free(l);
		if (bad)
			printf("# whole\n");
		l = build(&c, (struct lattice_options){ 0 }, &seed);
		bad += !same_answer(&c, l, &a);
		lattice_free(l);
		bad += !check_kept(&c, &a, &seed);
		if (bad)
			printf("# seed %llu\n", (unsigned long long)was);
		violating += a.violating > 0;
		dead += a.dead_ends > 0;
		several += a.runs > 1;
		toy_release(&toy);
	}
	TAP_EQ(bad, 0, "%u random computations as by the definition", rounds);
	TAP_OK(violating > rounds / 20 && dead > rounds / 20 && several > rounds / 5,
	       "they are not dull: %llu violating, %llu with dead ends, %llu with several runs",
	       (unsigned long long)violating, (unsigned long long)dead,
	       (unsigned long long)several);
	return tap_done();
}
