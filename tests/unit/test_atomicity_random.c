/*
 * triples and atomicity against the enumeration of every reordering (enumerate.h), on random tiny
 * traces with blocks.
 *
 * With all pairs they have every pattern that some reordering shows, and no other; without, triples has
 * one for each set of places of these, and atomicity only such.  By the strict and by the
 * dependency-aware model; each claimed schedule is judged by the checker and by the definition; spoilt ones
 * are judged alike by both; answers do not depend on the number of jobs.  With guesses triples has all that the
 * definition of a guess gives, and atomicity only what is one.
 *
 * The test fails where its traces lack what it is about: blocks, each kind of lock, facts, comparisons.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed; ONLY=triples this engine.
 */
#include <stdio.h>
#include <string.h>

#include "enumerate.h"
#include "predict/engine.h"
#include "splits_naive.h"
#include "tap.h"
#include "tiny.h"
#include "trial.h"
#include "trial_engines.h"

#define TRACES 30000 /* two of three have blocks */
#define TRACES_LONG 300000
#define SPLITS 4096
#define MOST_TOLD 50u /* without all pairs */

/* EQUAL: all of it and nothing else; PLACES: one for each set of places, and nothing else; WITHIN; MOST: all
 * pairs are asked for, and so many of 100 are found. */
enum relation { EQUAL, PLACES, WITHIN, MOST };

static const struct row {
	const char *engine;
	bool strict, pairs; /* pairs: those of two variables too */
	enum relation relation;
	unsigned most;
	bool infer;	   /* blocks that are guessed, too; of these EQUAL is about triples */
	unsigned compared; /* MOST: so many of 100 that comparisons make possible */
} rows[] = {
	{ "triples", true, false, EQUAL, 0, false, 0 },
	{ "triples", false, false, EQUAL, 0, false, 0 },
	{ "triples", true, false, PLACES, 0, false, 0 },
	{ "triples", false, false, PLACES, 0, false, 0 },
	{ "atomicity", true, true, EQUAL, 0, false, 0 },
	{ "atomicity", false, true, EQUAL, 0, false, 0 },
	{ "atomicity", false, true, WITHIN, 0, false, 0 },
	{ "gap", true, true, MOST, 96, false, 0 },
	{ "gap", false, true, MOST, 96, false, 35 },
	{ "atomicity-osr", true, true, MOST, 95, false, 0 },
	{ "atomicity-osr", false, true, MOST, 96, false, 65 },
	{ "atomicity-sp", true, true, MOST, 90, false, 0 },
	{ "atomicity-sp", false, true, MOST, 86, false, 0 },
	{ "triples", true, false, EQUAL, 0, true, 0 },
	{ "triples", false, false, EQUAL, 0, true, 0 },
	{ "atomicity", true, true, WITHIN, 0, true, 0 },
	{ "atomicity", false, true, WITHIN, 0, true, 0 },
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static struct tally {
	const struct engine *engine; /* NULL: left out by ONLY, or there is none */
	unsigned answers, found;
	unsigned wanted, there;			 /* MOST */
	unsigned tested, tested_there;		 /* by comparisons, of EQUAL and MOST */
	unsigned guesses[FINDING_NBLOCKS];	 /* found, by enum finding_block */
	unsigned wrong, unproven, differ, apart; /* answers; schedules; by jobs; by checkers */
} tallies[NROWS];

static unsigned possible[2], spoilt[2]; /* patterns: triples, others; orders: that hold, not */

/* Patterns of traces with repeated reads.  What runs at the end of an order may not follow a write of what
 * its thread repeats reads of, and the searches do not look for one in which it comes earlier. */
static unsigned repeated, repeated_missed;

/* Patterns of threads that ask: some are taken back, since the program looks out for them. */
static unsigned asked, taken_back;

/* ---- the kinds of traces ---- */

/* What is said of traces has to be in some. */
static struct {
	const char *name;
	unsigned traces;
} kinds[] = {
	{ "blocks", 0 },
	{ "no blocks", 0 },
	{ "blocks in blocks", 0 },
	{ "mutexes", 0 },
	{ "spin locks", 0 },
	{ "locks taken again", 0 },
	{ "read-write locks", 0 },
	{ "tries", 0 },
	{ "tries in vain", 0 },
	{ "locks made and destroyed", 0 },
	{ "semaphores", 0 },
	{ "condition waits", 0 },
	{ "channels", 0 },
	{ "forks", 0 },
	{ "joins", 0 },
	{ "atomics", 0 },
	{ "read-modify-writes", 0 },
	{ "halves of variables", 0 },
	{ "memory that is freed", 0 },
	{ "repeated reads", 0 },
	{ "free reads", 0 },
	{ "feeds", 0 },
	{ "late uses", 0 },
	{ "comparisons on the spot", 0 },
	{ "comparisons behind the unlock", 0 },
	{ "reads that only ask", 0 },
};
#define NKINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

/* So many that each kind occurs: a sanitizer tries few. */
static bool is_enough(uint64_t traces)
{
	return traces >= 2000;
}

static void note_kinds(const struct tiny *t)
{
	bool has[NKINDS] = { false };
	int depth[TINY_THREADS] = { 0 };

	for (int i = 0; i < t->n; i++) {
		const struct tiny_event *e = &t->at[i];
		const bool is[NKINDS] = {
			e->op == TINY_BEGIN,
			false,
			e->op == TINY_BEGIN && depth[e->thread]++ > 0,
			e->op == TINY_ACQ && !e->spin,
			e->spin,
			e->op == TINY_AGAIN,
			e->op == TINY_RACQ,
			tiny_acquires(e) && e->try,
			e->op == TINY_TRYFAIL,
			tiny_renews(e),
			tiny_counts(e),
			e->op == TINY_PARK,
			e->takes != 0,
			e->op == TINY_FORK,
			e->op == TINY_JOIN,
			tiny_is_access(e) && e->order != TINY_PLAIN,
			e->op == TINY_RMW,
			tiny_is_access(e) && e->cells != 3u << 2 * e->obj,
			e->op == TINY_FREE,
			e->reread,
			e->free,
			tiny_writes(e) && e->feeds,
			e->op == TINY_USE,
			tiny_reads(e) && e->cmp != TINY_NO_TEST,
			e->op == TINY_USE && e->tested,
			e->looks,
		};

		depth[e->thread] -= e->op == TINY_END;
		for (int k = 0; k < NKINDS; k++)
			has[k] |= is[k];
	}
	has[1] = !has[0];
	for (int k = 0; k < NKINDS; k++)
		kinds[k].traces += has[k];
}

/* ---- the definition ---- */

struct splits {
	struct split at[SPLITS];
	bool may[SPLITS];    /* not needed: see forced, and repeated */
	bool tested[SPLITS]; /* only since what is compared may be another value */
	int n;
};

static uint32_t events_of(const struct split *p)
{
	return 1u << p->a | 1u << p->b | 1u << p->c | 1u << p->d;
}

/* The same events may be two patterns; they are one finding. */
static bool splits_has(const struct splits *s, const struct split *p)
{
	for (int i = 0; i < s->n; i++)
		if (events_of(&s->at[i]) == events_of(p))
			return true;
	return false;
}

/* By strict: what some reordering shows; triples come first.  And those triples with the ones of guesses. */
static struct splits wanted[2], guessed[2];
static int ntriples[2];

/* Where there are semaphores: events that come before each other one, whatever is read.  What that brings
 * about is meant, and is no finding if the engine sees it, too. */
static uint32_t forced[TINY_EVENTS];
static bool repeats; /* there are repeated reads */

static bool is_triple(const struct tiny *t, const struct split *p)
{
	return p->b == p->d && (t->at[p->a].cells & t->at[p->c].cells);
}

/* A thread that somebody comes into may look out for that, or wait for it, by a read that only asks. */
static bool is_asked(const struct tiny *t, const struct split *p)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].looks && (t->at[i].thread == t->at[p->a].thread ||
				       t->at[i].thread == t->at[p->b].thread))
			return true;
	return false;
}

static bool has_tests(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].cmp != TINY_NO_TEST)
			return true;
	return false;
}

static void splits_add(const struct tiny *t, struct splits *s, const struct split *p, int strict)
{
	bool may = repeats || is_asked(t, p) ||
		   ((forced[p->b] >> p->a & 1) && (forced[p->c] >> p->d & 1));

	if (s->n == SPLITS)
		return;
	s->may[s->n] = may;
	s->tested[s->n] = !strict && has_tests(t) &&
			  !enumerate_split(t, p, (struct enumerate_mode){ .no_tests = true });
	s->at[s->n++] = *p;
}

static bool is_shown(const struct tiny *t, const struct split *p, int strict)
{
	return enumerate_split(t, p, (struct enumerate_mode){ .strict = strict });
}

static void want(void *arg, const struct tiny *t, const struct split *p)
{
	(void)arg;
	for (int strict = 0; strict < 2; strict++) {
		if (!is_shown(t, p, strict))
			continue;
		splits_add(t, &wanted[strict], p, strict);
		if (!is_triple(t, p))
			continue;
		splits_add(t, &guessed[strict], p, strict);
		ntriples[strict]++;
	}
}

static bool has_counts(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (tiny_counts(&t->at[i]) || t->at[i].op == TINY_TRYFAIL)
			return true;
	return false;
}

static void want_guess(void *arg, const struct tiny *t, const struct split *p)
{
	(void)arg;
	for (int strict = 0; strict < 2; strict++) {
		struct splits *s = &guessed[strict];

		if (splits_has(s, p) || !is_shown(t, p, strict))
			continue;
		splits_add(t, s, p, strict);
		/* A semaphore may be a mutex, and both accesses in one section of it. */
		s->may[s->n - 1] |= has_counts(t);
	}
}

static bool has_rereads(const struct tiny *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->at[i].reread)
			return true;
	return false;
}

static void want_all(const struct tiny *t)
{
	repeats = has_rereads(t);
	memset(forced, 0, sizeof(forced));
	if (has_counts(t))
		enumerate_forced(t, forced);
	wanted[0].n = wanted[1].n = ntriples[0] = ntriples[1] = 0;
	guessed[0].n = guessed[1].n = 0;
	splits_each(t, want, NULL);
	splits_each_guess(t, want_guess, NULL);
}

/* ---- answers ---- */

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void places_of(const struct tiny *t, const struct split *p, int *out)
{
	const int events[] = { p->a, p->b, p->c, p->d };
	int n = p->b == p->d ? 3 : 4;

	out[3] = -1;
	for (int i = 0; i < n; i++)
		out[i] = t->at[events[i]].loc;
	qsort(out, (size_t)n, sizeof(*out), compare_ints);
}

static bool places_have(const struct tiny *t, const struct splits *s, const struct split *p)
{
	int here[4], there[4];

	places_of(t, p, here);
	for (int i = 0; i < s->n; i++) {
		places_of(t, &s->at[i], there);
		if (memcmp(here, there, sizeof(here)) == 0)
			return true;
	}
	return false;
}

/* Who is who, of a finding's events: the first that is wanted.  False: none is. */
static bool split_of(const struct finding *f, const struct splits *s, int n, struct split *out)
{
	uint32_t events = 0;

	for (uint32_t i = 0; i < f->nevents; i++)
		events |= 1u << (f->events[i] - 1);
	for (int i = 0; i < n; i++) {
		const struct split *p = &s->at[i];

		if (events_of(p) != events)
			continue;
		*out = *p;
		return true;
	}
	return false;
}

static void order_of(const struct trial *x, const struct finding *f, struct check_order *out)
{
	VEC_CLEAR(&out->at);
	if (!check_expand(x->evidence, &f->schedule, out))
		BUG("a schedule names events that do not exist");
}

static bool holds(const struct trial *x, const struct split *p, const struct check_order *order,
		  bool strict)
{
	int ids[TINY_EVENTS];

	for (size_t i = 0; i < order->at.n; i++)
		ids[i] = (int)order->at.at[i] - 1;
	return enumerate_split_order(&x->t, p, ids, (int)order->at.n,
				     (struct enumerate_mode){ .strict = strict });
}

static bool certified(const struct trial *x, const struct finding *f,
		      const struct check_order *order, bool strict)
{
	struct check_claim claim = { .kind = FINDING_ATOMICITY,
				     .targets = f->events,
				     .ntargets = f->nevents,
				     .order = order->at.at,
				     .norder = order->at.n,
				     .strict = strict,
				     .block = f->block };

	return trial_certify(x, &claim, NULL);
}

/* By what the finding says of its block. */
static bool is_of_block(const struct tiny *t, const struct split *p, const struct finding *f)
{
	if (f->block != FINDING_BLOCK_MARKED)
		return splits_is_guess(t, p, GUESS_SPLIT + f->block - FINDING_BLOCK_SPLIT);
	return splits_in_one_block(t, p->a, p->c) &&
	       (p->d >= p->b || splits_in_one_block(t, p->d, p->b));
}

/* Some role that the events can have, by the definition, in that order. */
static bool holds_somehow(const struct trial *x, const struct finding *f,
			  const struct check_order *order, bool strict)
{
	const struct tiny *t = &x->t;
	int e[4], n = (int)f->nevents;

	for (int i = 0; i < n; i++)
		e[i] = (int)f->events[i] - 1;
	for (int k = 0; k < 256; k++) {
		const int at[] = { k & 3, k >> 2 & 3, k >> 4 & 3, k >> 6 & 3 };
		unsigned all = 0;
		struct split p;

		for (int i = 0; i < 4; i++)
			all |= 1u << at[i];
		if (all != (1u << n) - 1)
			continue;
		p = (struct split){ e[at[0]], e[at[1]], e[at[2]], e[at[3]] };
		if (p.a >= p.c || t->at[p.a].thread != t->at[p.c].thread ||
		    !splits_conflict(t, p.a, p.b) || !splits_conflict(t, p.d, p.c) ||
		    t->at[p.b].thread != t->at[p.d].thread || !is_of_block(t, &p, f))
			continue;
		if ((t->at[p.a].cells & t->at[p.c].cells) &&
		    (p.b != p.d || !splits_is_triple(t, p.a, p.b, p.c)))
			continue;
		if (holds(x, &p, order, strict))
			return true;
	}
	return false;
}

/* Two neighbours change places, or one goes: is it still right? */
static void spoil(const struct trial *x, struct tally *y, const struct finding *f, bool strict)
{
	struct check_order order = { 0 }, bad = { 0 };

	order_of(x, f, &order);
	for (size_t i = 0; i < order.at.n; i++) {
		bool by_checker, by_definition;

		VEC_CLEAR(&bad.at);
		VEC_APPEND(&bad.at, order.at.at, order.at.n);
		if (i + 1 < order.at.n) {
			bad.at.at[i] = order.at.at[i + 1];
			bad.at.at[i + 1] = order.at.at[i];
		} else {
			bad.at.n--;
		}
		by_checker = certified(x, f, &bad, strict);
		by_definition = holds_somehow(x, f, &bad, strict);
		spoilt[!by_definition]++;
		if (by_checker != by_definition) {
			y->apart++;
			trial_complain(x, by_definition ? "a good order is refused"
							: "a bad order is certified");
		}
	}
	VEC_RELEASE_ALL(&order.at, &bad.at);
}

static void complain(const struct trial *x, const struct row *row, const char *what,
		     const struct finding *f, const struct split *p)
{
	char text[256];
	int n = snprintf(text, sizeof(text), "%s%s: %s", row->engine, row->strict ? ", strict" : "",
			 what);

	for (uint32_t i = 0; f && i < f->nevents; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %u", (unsigned)f->events[i]);
	if (p)
		snprintf(text + n, sizeof(text) - (size_t)n, " %d-%d-%d-%d", p->a + 1, p->b + 1,
			 p->d + 1, p->c + 1);
	trial_complain(x, text);
}

static void judge(const struct trial *x, size_t i, struct engine_result *r, bool same)
{
	const struct row *row = &rows[i];
	struct tally *y = &tallies[i];
	const struct splits *w = row->infer ? &guessed[row->strict] : &wanted[row->strict];
	int nwanted = row->pairs || row->infer ? w->n : ntriples[row->strict];
	static struct splits got;
	/* One for each set of places may be more than are told. */
	bool all =
		row->relation == EQUAL || (row->relation == PLACES && r->findings.at.n < MOST_TOLD);
	bool wrong = r->truncated.n > 0 && all;
	struct check_order order = { 0 };

	got.n = 0;
	y->answers++;
	y->differ += !same;
	for (size_t k = 0; k < r->findings.at.n; k++) {
		const struct finding *f = &r->findings.at.at[k];
		struct split p;

		y->found++;
		y->guesses[f->block]++;
		if (split_of(f, w, nwanted, &p)) {
			got.at[got.n++] = p;
		} else if (!row->infer || !row->pairs ||
			   (f->block != FINDING_BLOCK_PAIR &&
			    !split_of(f, &wanted[row->strict], wanted[row->strict].n, &p))) {
			wrong = true;
			complain(x, row, "no reordering shows", f, NULL);
			continue;
		}
		order_of(x, f, &order);
		if (!certified(x, f, &order, row->strict) ||
		    !holds_somehow(x, f, &order, row->strict)) {
			y->unproven++;
			complain(x, row, "is not proven:", f, NULL);
		}
		if (row->relation == EQUAL)
			spoil(x, y, f, row->strict);
	}
	for (int k = 0; k < nwanted && (row->relation == EQUAL || row->relation == MOST); k++) {
		y->tested += w->tested[k] && !w->may[k];
		y->tested_there += w->tested[k] && !w->may[k] && splits_has(&got, &w->at[k]);
	}
	for (int k = 0; k < nwanted && row->relation == MOST; k++) {
		y->wanted += !w->may[k];
		y->there += !w->may[k] && splits_has(&got, &w->at[k]);
	}
	for (int k = 0; k < nwanted && all; k++) {
		const struct split *p = &w->at[k];
		bool there =
			row->relation == EQUAL ? splits_has(&got, p) : places_have(&x->t, &got, p);

		if (repeats && row->relation == EQUAL) {
			repeated++;
			repeated_missed += !there;
		}
		if (is_asked(&x->t, p) && row->relation == EQUAL) {
			asked++;
			taken_back += !there;
		}
		if (there || w->may[k])
			continue;
		wrong = true;
		complain(x, row, "misses", NULL, p);
	}
	y->wrong += wrong;
	VEC_RELEASE(&order.at);
}

static void report(void)
{
	static const char *const how[] = { "all of", "one for each set of places of", "some of",
					   "most of" };

	for (size_t i = 0; i < NROWS; i++) {
		const struct tally *y = &tallies[i];
		const char *strict = rows[i].infer
					     ? (rows[i].strict ? ", strict, infer" : ", infer")
				     : rows[i].strict ? ", strict"
						      : "";

		if (!y->engine)
			continue;
		TAP_EQ(y->wrong, 0, "%s%s: %s the enumeration, %u answers, %u found",
		       rows[i].engine, strict, how[rows[i].relation], y->answers, y->found);
		TAP_EQ(y->unproven, 0, "%s%s: all schedules hold", rows[i].engine, strict);
		TAP_EQ(y->apart, 0, "%s%s: checker and definition agree", rows[i].engine, strict);
		TAP_EQ(y->differ, 0, "%s%s: jobs do not matter", rows[i].engine, strict);
		for (int b = 0; b < FINDING_NBLOCKS && rows[i].infer && is_enough(y->answers); b++)
			if (rows[i].pairs || b != FINDING_BLOCK_PAIR)
				TAP_OK(y->guesses[b] > y->answers / 2000, "%s%s: %u of kind %s",
				       rows[i].engine, strict, y->guesses[b],
				       finding_block_name((enum finding_block)b));
		if (rows[i].relation == EQUAL && !rows[i].strict && is_enough(y->answers))
			TAP_OK(y->tested > y->answers / 500 && y->tested_there == y->tested,
			       "%s%s: %u of %u that comparisons make possible", rows[i].engine,
			       strict, y->tested_there, y->tested);
		else if (rows[i].relation == MOST && !rows[i].strict && is_enough(y->answers))
			TAP_OK(y->tested_there * 100 >= y->tested * rows[i].compared,
			       "%s: %u of %u that comparisons make possible", rows[i].engine,
			       y->tested_there, y->tested);
		if (rows[i].relation == MOST && is_enough(y->answers))
			TAP_OK(y->there * 100 >= y->wanted * rows[i].most,
			       "%s%s: %u of %u are found", rows[i].engine, strict, y->there,
			       y->wanted);
	}
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	struct trial_question questions[NROWS];
	unsigned unread = 0;

	for (size_t i = 0; i < NROWS; i++) {
		if (trial_is_wanted(rows[i].engine))
			tallies[i].engine = engine_find(rows[i].engine);
		questions[i] = (struct trial_question){ tallies[i].engine,
							{ .strict = rows[i].strict,
							  .all_pairs = rows[i].relation == EQUAL ||
								       rows[i].relation == MOST ||
								       rows[i].infer,
							  .infer = rows[i].infer,
							  .all_blocks = rows[i].infer } };
	}
	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		static struct trial x;

		if (trial_begin_blocks(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			note_kinds(&x.t);
			want_all(&x.t);
			possible[0] += (unsigned)ntriples[0];
			possible[1] += (unsigned)(wanted[0].n - ntriples[0]);
			trial_try(&x, questions, NROWS, judge);
		} else {
			unread++;
		}
		trial_end(&x);
	}
	TAP_EQ(unread, 0, "%llu traces are read", (unsigned long long)seeds.n);
	if (is_enough(seeds.n))
		TAP_OK(possible[0] > seeds.n / 20 && possible[1] > seeds.n / 20 &&
			       spoilt[0] > seeds.n / 20 && spoilt[1] > seeds.n / 20,
		       "%u triples and %u others were there; %u spoilt orders are good, %u bad",
		       possible[0], possible[1], spoilt[0], spoilt[1]);
	if (is_enough(seeds.n))
		TAP_OK(repeated > seeds.n / 50 && repeated_missed * 100 <= repeated,
		       "with repeated reads: %u of %u patterns are missed", repeated_missed,
		       repeated);
	if (is_enough(seeds.n))
		TAP_OK(taken_back > seeds.n / 1000 && taken_back < asked / 2,
		       "where threads ask: %u of %u patterns are taken back", taken_back, asked);
	for (int k = 0; k < NKINDS && is_enough(seeds.n); k++)
		TAP_OK(kinds[k].traces > seeds.n / 200, "%u traces have %s", kinds[k].traces,
		       kinds[k].name);
	report();
	return tap_done();
}
