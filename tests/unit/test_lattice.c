/*
 * Lattices whose numbers are known: products, binomials, Young diagrams; and what is left out when
 * breadth, budget, memory or patience end.
 */
#include <malloc.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "lattice/lattice.h"
#include "tap.h"
#include "unit/lattice_naive.h"
#include "unit/lattice_toy.h"

static struct toy toy;

struct bench {
	struct lattice *l;
	struct point_sink sink;
	uint64_t pos;
};

static struct bench begin(struct lattice_options opt)
{
	struct bench b = { .l = lattice_new(&opt) };

	b.sink = lattice_sink(b.l);
	return b;
}

static void point(struct bench *b, uint32_t lane)
{
	b->sink.point(b->sink.arg, &(struct point){ .pos = ++b->pos, .lane = lane });
}

static void point_needs(struct bench *b, uint32_t lane, uint32_t other, uint32_t count)
{
	struct point_need need = { other, count };

	b->sink.point(b->sink.arg, &(struct point){ .pos = ++b->pos,
						    .lane = lane,
						    .needs = &need,
						    .nneeds = count != 0 });
}

/* other: written to a variable that no property looks at. */
static void point_item(struct bench *b, uint32_t lane, uint32_t kind, uint32_t other)
{
	struct watch_write writes[2];
	struct watch_item item = toy_item(kind, other, writes);

	item.pos = ++b->pos;
	b->sink.point(
		b->sink.arg,
		&(struct point){ .pos = b->pos, .lane = lane, .item = &item, .writes = writes });
}

/* first: the set's first point, else a further one. */
static void point_set(struct bench *b, uint32_t lane, uint32_t set, bool first)
{
	b->sink.point(b->sink.arg, &(struct point){ .pos = ++b->pos,
						    .lane = lane,
						    .starts = &set,
						    .joins = &set,
						    .nstarts = first,
						    .njoins = !first });
}

static struct lattice_counts finish(struct bench *b)
{
	struct lattice_counts c;

	lattice_finish(b->l);
	lattice_check(b->l);
	lattice_counts(b->l, &c);
	return c;
}

static void end(struct bench *b, struct lattice_counts *c)
{
	lattice_counts_release(c);
	lattice_free(b->l);
}

static void check_runs(const struct lattice_counts *c, const char *want, const char *name)
{
	struct strbuf s = { 0 };

	big_print(&c->runs, &s);
	TAP_STR(strbuf_str(&s), want, "%s", name);
	strbuf_release(&s);
}

/* --- numbers --- */

static void free_lanes(uint32_t lanes, uint32_t points, uint64_t cuts, const char *runs)
{
	struct bench b = begin((struct lattice_options){ .count = true });
	struct lattice_counts c;

	for (uint32_t i = 0; i < points; i++)
		for (uint32_t k = 0; k < lanes; k++)
			point(&b, k);
	c = finish(&b);
	TAP_EQ(c.cuts, cuts, "%u free lanes of %u: cuts", lanes, points);
	/* Each point follows in every cut of the other lanes. */
	TAP_EQ(c.edges, cuts / (points + 1) * points * lanes, "edges");
	TAP_EQ(c.levels, (uint64_t)lanes * points + 1, "levels");
	check_runs(&c, runs, "runs");
	end(&b, &c);
}

/* Point k of a lane needs point k of the lane before: cuts are Young diagrams. */
static void pipeline(uint32_t lanes, uint32_t points, uint64_t cuts)
{
	struct bench b = begin((struct lattice_options){ .count = true });
	struct lattice_counts c;

	for (uint32_t i = 0; i < points; i++)
		for (uint32_t k = 0; k < lanes; k++)
			point_needs(&b, k, k ? k - 1 : 0, k ? i + 1 : 0);
	c = finish(&b);
	TAP_EQ(c.cuts, cuts, "pipeline of %u lanes, %u points each", lanes, points);
	TAP_OK(!c.truncated && c.dead_ends == 0, "all of it");
	end(&b, &c);
}

static void small(void)
{
	struct bench b = begin((struct lattice_options){ .count = true });
	struct lattice_counts c = finish(&b);

	TAP_OK(c.cuts == 1 && c.levels == 1 && c.edges == 0 && c.dead_ends == 0, "no points");
	check_runs(&c, "1", "one run, without points");
	end(&b, &c);

	b = begin((struct lattice_options){ .count = true });
	point(&b, 0);
	point(&b, 0);
	point(&b, 1);
	c = finish(&b);
	TAP_EQ(c.cuts, 6, "landing controller: cuts");
	check_runs(&c, "3", "its runs");
	end(&b, &c);
}

/* --- sets --- */

static void opposite_locks(void)
{
	static const uint32_t locks[2][2] = { { 0, 1 }, { 1, 0 } };
	struct bench b = begin((struct lattice_options){ .count = true });
	struct lattice_counts c;

	for (uint32_t lane = 0; lane < 2; lane++) {
		for (uint32_t k = 0; k < 2; k++) {
			b.sink.set(b.sink.arg, lane * 2 + k, locks[lane][k], POINT_OWN);
			point_set(&b, lane, lane * 2 + k, true);
		}
		for (uint32_t k = 2; k-- > 0;) {
			point_set(&b, lane, lane * 2 + k, false);
			b.sink.close(b.sink.arg, lane * 2 + k);
		}
	}
	c = finish(&b);
	TAP_EQ(c.dead_ends, 1, "two locks in opposite order: one dead end");
	check_runs(&c, "4", "runs around it");
	end(&b, &c);
}

static void read_locks(unsigned flags, uint64_t cuts)
{
	struct bench b = begin((struct lattice_options){ 0 });
	struct lattice_counts c;

	for (uint32_t lane = 0; lane < 2; lane++) {
		b.sink.set(b.sink.arg, lane, 5, flags);
		point_set(&b, lane, lane, true);
		point_set(&b, lane, lane, false);
		b.sink.close(b.sink.arg, lane);
	}
	c = finish(&b);
	TAP_EQ(c.cuts, cuts, "two sections, flags %u", flags);
	end(&b, &c);
}

/* A start that only a set's missing end forbids must wait for it. */
static void closing(void)
{
	struct bench b = begin((struct lattice_options){ 0 });
	struct lattice_counts c;

	b.sink.set(b.sink.arg, 0, 9, 0);
	b.sink.set(b.sink.arg, 1, 9, 0);
	point_set(&b, 0, 0, true);
	point_set(&b, 1, 1, true);
	b.sink.end(b.sink.arg, 0);
	b.sink.end(b.sink.arg, 1);
	lattice_build(b.l);
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 2, "an open set holds the second level up");
	lattice_counts_release(&c);
	b.sink.close(b.sink.arg, 0);
	b.sink.close(b.sink.arg, 1);
	lattice_build(b.l);
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 3, "closed: it is built");
	TAP_EQ(c.cuts, 4, "with both orders");
	end(&b, &c);
}

/* A lock that another thread gives back than took it, which is seen late. */
static void given_back(void)
{
	struct bench b = begin((struct lattice_options){ 0 });
	struct lattice_counts c;

	b.sink.set(b.sink.arg, 0, 3, POINT_OWN);
	point_set(&b, 0, 0, true);
	point(&b, 1);
	point(&b, 1);
	b.sink.end(b.sink.arg, 0);
	lattice_build(b.l);
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 3, "as far as is known");
	lattice_counts_release(&c);
	point_set(&b, 1, 0, false);
	b.sink.close(b.sink.arg, 0);
	b.sink.set(b.sink.arg, 1, 3, POINT_OWN);
	point_set(&b, 1, 1, true);
	c = finish(&b);
	TAP_EQ(c.levels, 6, "it can be taken again");
	end(&b, &c);
}

/* --- online --- */

static void watermark(void)
{
	struct bench b = begin((struct lattice_options){ 0 });
	struct lattice_counts c;

	b.sink.wait(b.sink.arg, 0, false);
	b.sink.wait(b.sink.arg, 1, false);
	point(&b, 0);
	point(&b, 0);
	lattice_build(b.l);
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 1, "a lane of which nothing is known holds all up");
	lattice_counts_release(&c);
	point(&b, 1);
	lattice_build(b.l);
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 2, "its first point lets one level pass");
	lattice_counts_release(&c);
	b.sink.wait(b.sink.arg, 1, true);
	lattice_build(b.l);
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 3, "waiting, it lets the next pass, which another lane ends");
	lattice_counts_release(&c);
	c = finish(&b);
	TAP_OK(c.cuts == 6 && !c.truncated, "as if all had come at once");
	end(&b, &c);
}

static void horizon(void)
{
	struct bench b = begin((struct lattice_options){ .horizon = 100 });
	struct lattice_counts c;

	b.sink.wait(b.sink.arg, 1, false);
	for (int i = 0; i < 1000; i++) {
		point(&b, 0);
		lattice_build(b.l);
	}
	lattice_counts(b.l, &c);
	TAP_EQ(c.levels, 901, "a silent lane holds up 100 points and no more");
	TAP_OK(c.truncated && strstr(c.why, "level 1 "), "and that is said: %s", c.why);
	lattice_counts_release(&c);
	point(&b, 1);
	c = finish(&b);
	TAP_EQ(c.cuts, 1001 + 101, "what it does later is taken from there on");
	end(&b, &c);
}

/* A lane that nobody spoke of goes on when levels are built already: some runs are left out, unless
 * what it needs is not in them either. */
static void late(uint32_t needs)
{
	struct bench b = begin((struct lattice_options){ 0 });
	struct lattice_counts c;

	for (int i = 0; i < 3; i++)
		point(&b, 0);
	lattice_build(b.l);
	point(&b, 0);
	point_needs(&b, 1, 0, needs);
	c = finish(&b);
	TAP_OK(c.truncated == (needs < 4), "a late point that needs %u: %s", needs, c.why);
	end(&b, &c);
}

/* Four lanes that all meet now and then, for ever, with a new value each time: nothing may pile up,
 * neither points nor configurations. */
static void meet(struct bench *b, uint32_t lane, uint32_t count)
{
	struct point_need needs[4];

	for (uint32_t i = 0; i < 4; i++)
		needs[i] = (struct point_need){ i, count };
	b->sink.point(
		b->sink.arg,
		&(struct point){ .pos = ++b->pos, .lane = lane, .needs = needs, .nneeds = 4 });
}

static size_t used_after(struct bench *b, uint32_t from, uint32_t to)
{
	for (uint32_t r = from; r < to; r++) {
		for (uint32_t lane = 0; lane < 4; lane++) {
			uint32_t set = r * 4 + lane;

			point_item(b, lane, 1 + set % 3, set);
			b->sink.set(b->sink.arg, set, lane % 2 + r % 100 * 2, POINT_OWN);
			point_set(b, lane, set, true);
			point_set(b, lane, set, false);
			b->sink.close(b->sink.arg, set);
		}
		for (uint32_t lane = 0; lane < 4; lane++)
			meet(b, lane, r * 4 + 3);
		lattice_build(b->l);
	}
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

static void endless(void)
{
	struct lattice_counts c;
	struct bench b;
	uint32_t soon = (uint32_t)tap_rounds(700, 700);
	size_t early, late;

	toy_init(&toy);
	b = begin((struct lattice_options){ .configs = toy.configs });
	early = used_after(&b, 0, soon);
	late = used_after(&b, soon, 3 * soon);
	c = finish(&b);
	TAP_OK(late < early * 3 / 2 + 100000, "bounded memory: %zu bytes, then %zu", early, late);
	TAP_OK(!c.truncated && c.levels == b.pos + 1, "and nothing left out");
	end(&b, &c);
	toy_release(&toy);
}

/* --- jobs --- */

static void jobs(bool configs, bool count, uint32_t points)
{
	struct lattice_counts c[2];
	struct bench b[2];

	toy_init(&toy);
	for (int j = 0; j < 2; j++) {
		b[j] = begin((struct lattice_options){ .jobs = j ? 4 : 1,
						       .configs = configs ? toy.configs : NULL,
						       .count = count });
		for (uint32_t i = 0; i < points; i++) {
			uint64_t seed = i * 77 + 5;

			if (configs)
				point_item(&b[j], i % 6, 1 + naive_number(&seed, 4), 0);
			else
				point(&b[j], i % 6);
		}
		c[j] = finish(&b[j]);
	}
	TAP_OK(c[0].bytes > 600000, "a level for several workers");
	TAP_OK(c[0].cuts == c[1].cuts && c[0].edges == c[1].edges &&
		       lattice_nfound(b[0].l) == lattice_nfound(b[1].l),
	       "1 and 4 jobs: the same (configs %d, count %d)", configs, count);
	for (size_t i = 0; i < lattice_nfound(b[0].l) && i < lattice_nfound(b[1].l); i++) {
		const struct lattice_found *f = lattice_found(b[0].l, i);
		const struct lattice_found *g = lattice_found(b[1].l, i);

		TAP_OK(f->level == g->level && f->pos == g->pos && f->cut.n == g->cut.n &&
			       memcmp(f->cut.at, g->cut.at, f->cut.n * sizeof(*f->cut.at)) == 0,
		       "the same violation");
	}
	for (int j = 0; j < 2; j++) {
		if (count && points == 60)
			check_runs(&c[j], "3644153415887633116359073848179365185734400",
				   "60!/(10!)^6 runs");
		end(&b[j], &c[j]);
	}
	toy_release(&toy);
}

/* --- what is left out --- */

struct cuts {
	VEC(uint8_t) at; /* three counts each */
	uint64_t levels;
	uint64_t per_level[64];
	uint64_t observed;
};

static void note_cut(void *arg, const struct lattice_node *n)
{
	struct cuts *s = arg;

	for (uint32_t i = 0; i < 3; i++)
		*VEC_PUSH(&s->at) = (uint8_t)n->cut[i];
	s->per_level[n->level]++;
	s->observed += n->observed;
}

static void ignore_edge(void *arg, const struct lattice_edge *e)
{
	(void)arg;
	(void)e;
}

static int far(const uint8_t *cut, const uint8_t *observed)
{
	return abs(cut[0] - observed[0]) + abs(cut[1] - observed[1]) + abs(cut[2] - observed[2]);
}

/* Of the successors of kept cuts, the nearest are kept, smaller ones first. */
static bool nearest_kept(const struct cuts *s, uint32_t points, uint64_t breadth)
{
	const uint8_t *level = s->at.at;
	uint8_t observed[3] = { 0 };

	for (uint32_t n = 0; n < 3 * points; n++) {
		const uint8_t *next = level + 3 * s->per_level[n];
		uint64_t kept = s->per_level[n + 1], better = 0;
		const uint8_t *worst = next;

		observed[n % 3]++;
		for (uint64_t i = 1; i < kept; i++)
			if (far(next + 3 * i, observed) >= far(worst, observed))
				worst = next + 3 * i;
		for (uint32_t a = 0; a <= points; a++)
			for (uint32_t b = 0; b <= points; b++) {
				uint8_t cut[3] = { (uint8_t)a, (uint8_t)b,
						   (uint8_t)(n + 1 - a - b) };
				bool reached = false;

				if (a + b > n + 1 || cut[2] > points)
					continue;
				for (uint64_t i = 0; i < s->per_level[n]; i++) {
					const uint8_t *x = level + 3 * i;

					reached |=
						x[0] <= cut[0] && x[1] <= cut[1] && x[2] <= cut[2];
				}
				better += reached && (far(cut, observed) < far(worst, observed) ||
						      (far(cut, observed) == far(worst, observed) &&
						       memcmp(cut, worst, 3) <= 0));
			}
		if (kept > breadth || better != kept)
			return false;
		level = next;
	}
	return true;
}

static void breadth(uint64_t n)
{
	struct bench b = begin((struct lattice_options){ .breadth = n, .keep = true });
	struct cuts s = { 0 };
	struct lattice_visitor v = { .arg = &s, .node = note_cut, .edge = ignore_edge };
	struct lattice_counts c;

	for (uint32_t i = 0; i < 30; i++)
		point(&b, i % 3);
	c = finish(&b);
	lattice_each(b.l, &v);
	TAP_EQ(s.observed, 31, "breadth %llu: the observed run is there", (unsigned long long)n);
	TAP_OK(nearest_kept(&s, 10, n), "with the nearest cuts");
	TAP_OK(c.truncated == (n < 91) && c.levels == 31 && c.cuts == s.at.n / 3, "said: %s",
	       c.why);
	VEC_RELEASE(&s.at);
	end(&b, &c);
}

/* Three lanes of one point, of which that of lane 0 changes the configuration; observed: 1, 0, 2.
 * Beside the observed cut the one with another configuration is kept, though others come first
 * among those as near. */
static void breadth_configs(void)
{
	static const uint8_t want[] = { 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1 };
	struct cuts s = { 0 };
	struct lattice_visitor v = { .arg = &s, .node = note_cut, .edge = ignore_edge };
	struct lattice_counts c;
	struct bench b;

	toy_init(&toy);
	b = begin((struct lattice_options){
		.breadth = 2, .configs = toy.configs, .count = true, .keep = true });
	point(&b, 1);
	point_item(&b, 0, 1, 1);
	point(&b, 2);
	c = finish(&b);
	lattice_each(b.l, &v);
	TAP_OK(s.at.n == sizeof(want) && memcmp(s.at.at, want, sizeof(want)) == 0,
	       "breadth 2: a new configuration before a near cut");
	check_runs(&c, "3", "runs through what is kept");
	VEC_RELEASE(&s.at);
	end(&b, &c);
	toy_release(&toy);
}

static void limits(void)
{
	struct bench b = begin((struct lattice_options){ .budget = 5000, .count = true });
	volatile sig_atomic_t stop = 1;
	struct lattice_counts c;

	for (uint32_t i = 0; i < 80; i++)
		point(&b, i % 4);
	c = finish(&b);
	TAP_OK(c.truncated && c.cuts >= 5000 && c.cuts < 7000 && c.levels == 81, "budget: %s",
	       c.why);
	end(&b, &c);

	b = begin((struct lattice_options){ .memory = 20000 });
	for (uint32_t i = 0; i < 80; i++)
		point(&b, i % 4);
	c = finish(&b);
	TAP_OK(c.truncated && c.levels == 81 && c.bytes <= 20000 + 16384 * 8, "memory: %s", c.why);
	end(&b, &c);

	b = begin((struct lattice_options){ .memory = 20000, .keep = true });
	for (uint32_t i = 0; i < 80; i++)
		point(&b, i % 4);
	c = finish(&b);
	TAP_OK(c.truncated, "memory of kept levels: %s", c.why);
	end(&b, &c);

	b = begin((struct lattice_options){ .stop = &stop });
	point(&b, 0);
	c = finish(&b);
	TAP_OK(c.truncated && c.levels == 1, "stopped: %s", c.why);
	end(&b, &c);
}

int main(void)
{
	small();
	free_lanes(2, 100, 10201, "90548514656103281165404177077484163874504589675413336841320");
	free_lanes(4, 10, 14641, "4705360871073570227520");
	free_lanes(20, 1, 1048576, "2432902008176640000");
	free_lanes(1, 20000, 20001, "1");
	pipeline(100, 3, 176851);
	pipeline(40, 2, 861);
	pipeline(3, 100, 176851);
	opposite_locks();
	read_locks(POINT_OWN, 8);
	read_locks(POINT_OWN | POINT_SHARED, 9);
	closing();
	given_back();
	watermark();
	horizon();
	late(0);
	late(2);
	late(4);
	endless();
	jobs(false, false, 54);
	jobs(false, true, 60);
	jobs(true, true, 30);
	breadth(1);
	breadth(2);
	breadth(7);
	breadth(1000);
	breadth_configs();
	limits();
	return tap_done();
}
