/*
 * predict/syncp and predict/osr against their definitions, on random models; every schedule is
 * played through.  What the pipeline adds (one finding for each pair of places, jobs, counts) is
 * held against the list of all pairs.
 */
#include "tap.h"

#include <stdlib.h>

#include "predict/engine.h"
#include "predict/goal.h"
#include "predict/osr.h"
#include "predict/goal.h"
#include "reorder_naive.h"
#include "step_builder.h"

static enum causal_mode mode_of(const struct model *m, bool strict)
{
	return m->has_facts && !strict ? CAUSAL_DEP : CAUSAL_STRICT;
}

static struct engine_result run_engine(const struct engine *e, const struct model *m,
				       struct engine_options opt)
{
	struct engine_run *run = engine_run_new(m);
	struct engine_result r = { 0 };

	e->search(e, run, &opt, &r);
	engine_run_free(run);
	return r;
}

static bool has_pair(const struct engine_result *r, uint32_t e1, uint32_t e2)
{
	for (size_t i = 0; i < r->findings.at.n; i++)
		if (r->findings.at.at[i].events[0] == e1 && r->findings.at.at[i].events[1] == e2)
			return true;
	return false;
}

static bool schedules_hold(const struct model *m, bool strict, const struct engine_result *r)
{
	for (size_t i = 0; i < r->findings.at.n; i++) {
		const struct finding *f = &r->findings.at.at[i];
		uint32_t order[NAIVE_EVENTS];
		size_t n = naive_order(m, &f->schedule, order);

		if (!f->claimed || !naive_witness(m, strict, order, n, (uint32_t)f->events[0],
						  (uint32_t)f->events[1]))
			return false;
	}
	return true;
}

/* Exactly the pairs that the definition allows, each once. */
static bool pairs_agree(const struct model *m, const struct causal *c, bool strict, bool is_osr,
			const struct engine_result *r)
{
	size_t n = 0;

	for (uint32_t a = 1; a <= m->n; a++) {
		for (uint32_t b = a + 1; b <= m->n; b++) {
			bool want =
				model_conflict(m, a, b) &&
				(is_osr ? naive_osr(m, c, strict, a, b) : naive_syncp(m, c, a, b));

			if (want != has_pair(r, a, b))
				return false;
			n += want;
		}
	}
	return n == r->findings.at.n;
}

/* The single question gives the same answer, and a cut to show for it. */
static bool single_agrees(const struct model *m, const struct causal *c)
{
	uint32_t cut[NAIVE_EVENTS];

	for (uint32_t a = 1; a <= m->n; a++)
		for (uint32_t b = a + 1; b <= m->n; b++)
			if (m->event[a].chain != m->event[b].chain &&
			    goal_reach(&(struct goal){ .next = (uint32_t[]){ a, b }, .nnext = 2 },
				       m, c, cut) != naive_syncp(m, c, a, b))
				return false;
	return true;
}

static void order_to_schedule(const struct model *m, const struct exact_order *o,
			      struct schedule *s)
{
	engine_schedule(m, o, s);
}

/* Somewhere reads that are in no record may see what an update of their own thread has left of other values: an order
 * that ends among those is not taken (exact_order_misses), and osr has no other one. */
static bool may_miss(const struct model *m)
{
	for (uint32_t chain = 0; chain < m->nchains; chain++) {
		struct model_stays stays = model_stays(m, chain, 0);

		for (uint32_t i = 0; i < stays.n; i++)
			if (model_stay_is_fed(m, chain, &stays.at[i]))
				return true;
	}
	return false;
}

/* Any two events may be asked for, which gives far more reversals than races do. */
static bool reversals_agree(const struct model *m, const struct causal *c, bool strict,
			    size_t *moved)
{
	struct osr *o = osr_new(m, c, strict, 0);
	struct exact_order out = { 0 };
	struct schedule s = { 0 };
	bool good = true;

	for (uint32_t a = 1; a <= m->n; a++) {
		for (uint32_t b = a + 1; good && b <= m->n; b++) {
			uint32_t targets[] = { a, b }, order[NAIVE_EVENTS];
			bool found = osr_reach(o, &(struct goal){ .next = targets, .nnext = 2 },
					       &out) == GOAL_FOUND;

			good = found == naive_osr(m, c, strict, a, b) ||
			       (!found && !strict && may_miss(m));
			if (!found || !good)
				continue;
			order_to_schedule(m, &out, &s);
			good = naive_witness(m, strict, order, naive_order(m, &s, order), a, b);
			*moved += out.ids.n > 0;
		}
	}
	exact_order_release(&out);
	schedule_release(&s);
	osr_free(o);
	return good;
}

/* One finding for each signature that has a pair, and no other. */
static bool signatures_agree(const struct engine_result *all, const struct engine_result *some)
{
	for (size_t i = 0; i < all->findings.at.n; i++) {
		uint64_t want = finding_signature(&all->findings.at.at[i]);
		size_t n = 0;

		for (size_t j = 0; j < some->findings.at.n; j++)
			n += finding_signature(&some->findings.at.at[j]) == want;
		if (n != 1)
			return false;
	}
	for (size_t i = 0; i < some->findings.at.n; i++) {
		const struct finding *f = &some->findings.at.at[i];

		if (!has_pair(all, (uint32_t)f->events[0], (uint32_t)f->events[1]))
			return false;
	}
	return true;
}

static bool same_findings(const struct engine_result *a, const struct engine_result *b)
{
	if (a->findings.at.n != b->findings.at.n)
		return false;
	for (size_t i = 0; i < a->findings.at.n; i++) {
		const struct finding *x = &a->findings.at.at[i], *y = &b->findings.at.at[i];

		if (x->events[0] != y->events[0] || x->events[1] != y->events[1] ||
		    x->schedule.tail.n != y->schedule.tail.n)
			return false;
	}
	return true;
}

struct tally {
	int pairs, single, reversals, schedules, signatures, jobs, counts;
	size_t found[3]; /* syncp, osr, races */
	size_t moved;	 /* orders that are not the observed one */
};

static void try_engine(const struct model *m, const struct causal *c, bool strict, bool is_osr,
		       struct tally *bad)
{
	const struct engine *e = is_osr ? &engine_osr : &engine_syncp;
	struct engine_options opt = { .strict = strict, .all_pairs = true, .jobs = 1 };
	struct engine_result all = run_engine(e, m, opt), some, more;

	opt.all_pairs = false;
	some = run_engine(e, m, opt);
	opt.jobs = 3;
	more = run_engine(e, m, opt);
	bad->pairs += !pairs_agree(m, c, strict, is_osr, &all);
	bad->schedules += !schedules_hold(m, strict, &all) || !schedules_hold(m, strict, &some);
	bad->signatures += !signatures_agree(&all, &some);
	bad->jobs += !same_findings(&some, &more);
	bad->found[is_osr] += all.findings.at.n;
	engine_result_release(&all);
	engine_result_release(&some);
	engine_result_release(&more);
}

/* The pipeline finds at least what its stages find, and its counts add up. */
static void try_races(const struct model *m, bool strict, struct tally *bad)
{
	struct engine_options opt = { .strict = strict, .jobs = 1 };
	struct engine_result r = run_engine(&engine_races, m, opt), all, some;
	const struct engine_counts *n = &r.counts;

	opt.all_pairs = true;
	all = run_engine(&engine_races, m, opt);
	some = run_engine(&engine_syncp, m, opt);
	bad->schedules += !schedules_hold(m, strict, &all) || !schedules_hold(m, strict, &r);
	bad->signatures += !signatures_agree(&all, &r);
	for (size_t i = 0; i < some.findings.at.n; i++)
		bad->pairs += !has_pair(&all, (uint32_t)some.findings.at.at[i].events[0],
					(uint32_t)some.findings.at.at[i].events[1]);
	bad->counts += !r.counted || n->predicted != r.findings.at.n ||
		       n->candidates != n->predicted + n->refuted + n->searched + n->undecided;
	bad->found[2] += all.findings.at.n;
	engine_result_release(&r);
	engine_result_release(&all);
	engine_result_release(&some);
}

static void test_random(const struct naive_kind *k, const char *name)
{
	struct tally bad = { 0 };

	for (unsigned long run = tap_rounds(400, 400); run > 0; run--) {
		struct model *m = naive_model(k);

		for (int strict = 0; strict < (k->facts ? 2 : 1); strict++) {
			struct causal *c = causal_new(m, mode_of(m, strict), false);
			bool is_strict = mode_of(m, strict) == CAUSAL_STRICT;

			try_engine(m, c, is_strict, false, &bad);
			try_engine(m, c, is_strict, true, &bad);
			bad.single += !single_agrees(m, c);
			bad.reversals += !reversals_agree(m, c, is_strict, &bad.moved);
			try_races(m, is_strict, &bad);
			causal_free(c);
		}
		model_free(m);
	}
	TAP_EQ(bad.pairs, 0, "%s: the pairs of the definitions", name);
	TAP_EQ(bad.single, 0, "%s: one question at a time", name);
	TAP_EQ(bad.reversals, 0, "%s: %zu orders with sections reversed", name, bad.moved);
	TAP_EQ(bad.schedules, 0, "%s: schedules hold", name);
	TAP_EQ(bad.signatures, 0, "%s: one finding for each pair of places", name);
	TAP_EQ(bad.jobs, 0, "%s: three threads find the same", name);
	TAP_EQ(bad.counts, 0, "%s: counts add up", name);
	TAP_OK(bad.found[0] && bad.found[1] && bad.found[2] >= bad.found[1],
	       "%s: %zu, %zu and %zu pairs", name, bad.found[0], bad.found[1], bad.found[2]);
}

/*
 *	T1		T2
 *	lock l				the section of T2 has to come first: T1 stays in its own
 *	write x
 *	unlock l
 *			lock l
 *			unlock l
 *			write x
 */
static void test_reversal(void)
{
	struct step_builder b = { 0 };
	struct engine_options opt = { .all_pairs = true, .jobs = 1 };
	struct engine_result syncp, osr;
	struct model *m;

	step_build(&b, 1, STEP_ACQ, 0);
	step_build_access(&b, 1, STEP_WRITE, 0);
	step_build(&b, 1, STEP_REL, 0);
	step_build(&b, 2, STEP_ACQ, 0);
	step_build(&b, 2, STEP_REL, 0);
	step_build_access(&b, 2, STEP_WRITE, 0);
	m = step_build_model(&b, &(struct model_options){ 0 });
	syncp = run_engine(&engine_syncp, m, opt);
	osr = run_engine(&engine_osr, m, opt);
	TAP_EQ(syncp.findings.at.n, 0, "the order of sections kept: no race");
	TAP_EQ(osr.findings.at.n, 1, "reversed: a race");
	if (osr.findings.at.n == 1) {
		const struct schedule *s = &osr.findings.at.at[0].schedule;

		TAP_OK(s->count.n > 2 && s->count.at[1] == 0 && s->count.at[2] == 2 &&
			       s->tail.n == 1 && s->tail.at[0] == 1,
		       "T2's section first, then T1's lock");
	}
	engine_result_release(&syncp);
	engine_result_release(&osr);
	model_free(m);
	step_builder_release(&b);
}

/*
 *	T3		T1		T2
 *	lock l
 *	write y
 *			read y
 *			write x				taken in: T3 must leave l before T2 comes
 *	read x
 *	unlock l
 *			write x
 *					lock l
 *					unlock l
 *					write x		races with the second one
 */
static void test_taken(void)
{
	struct step_builder b = { 0 };
	struct engine_options opt = { .jobs = 1 };
	struct engine_result r;
	struct model *m;

	step_build(&b, 3, STEP_ACQ, 0);
	step_build_access(&b, 3, STEP_WRITE, 1);
	step_build_access(&b, 1, STEP_READ, 1);
	step_build_access(&b, 1, STEP_WRITE, 0);
	step_build_access(&b, 3, STEP_READ, 0);
	step_build(&b, 3, STEP_REL, 0);
	step_build_access(&b, 1, STEP_WRITE, 0);
	step_build(&b, 2, STEP_ACQ, 0);
	step_build(&b, 2, STEP_REL, 0);
	step_build_access(&b, 2, STEP_WRITE, 0);
	m = step_build_model(&b, &(struct model_options){ 0 });
	r = run_engine(&engine_syncp, m, opt);
	TAP_OK(has_pair(&r, 7, 10), "the access behind one that is taken in");
	engine_result_release(&r);
	model_free(m);
	step_builder_release(&b);
}

/*
 * Three sections are moved, and their order matters: that of b leads to a release of a (by z), that
 * of a to the acquire of d (by u).
 *
 *	T5	T1	T6	T2	T3	T4	T7
 *	lock c
 *	w s
 *		r s
 *		lock a
 *		w u
 *		(w x)
 *			r u
 *			lock d
 *			(w x)
 *				lock b
 *				w z
 *				(w x)
 *					[a r z]
 *					w p
 *						[b]
 *						w q
 *							[d]
 *							w v
 *	r p q v
 *	unlock c
 */
static void test_chain_of_reversals(void)
{
	enum { S, U, X, Z, P, Q, V };
	enum { A, B, C, D };
	static const struct {
		uint32_t tid, op, obj;
	} steps[] = {
		{ 5, STEP_ACQ, C },   { 5, STEP_WRITE, S }, { 1, STEP_READ, S },
		{ 1, STEP_ACQ, A },   { 1, STEP_WRITE, U }, { 1, STEP_WRITE, X },
		{ 1, STEP_REL, A },   { 6, STEP_READ, U },  { 6, STEP_ACQ, D },
		{ 6, STEP_WRITE, X }, { 6, STEP_REL, D },   { 2, STEP_ACQ, B },
		{ 2, STEP_WRITE, Z }, { 2, STEP_WRITE, X }, { 2, STEP_REL, B },
		{ 3, STEP_ACQ, A },   { 3, STEP_READ, Z },  { 3, STEP_REL, A },
		{ 3, STEP_WRITE, P }, { 4, STEP_ACQ, B },   { 4, STEP_REL, B },
		{ 4, STEP_WRITE, Q }, { 7, STEP_ACQ, D },   { 7, STEP_REL, D },
		{ 7, STEP_WRITE, V }, { 5, STEP_READ, P },  { 5, STEP_READ, Q },
		{ 5, STEP_READ, V },  { 5, STEP_REL, C },
	};
	uint32_t targets[] = { 6, 10, 14 }, order[NAIVE_EVENTS];
	struct step_builder b = { 0 };
	struct exact_order out = { 0 };
	struct schedule s = { 0 };
	struct causal *c;
	struct model *m;
	struct osr *o;
	size_t n;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].op == STEP_READ || steps[i].op == STEP_WRITE)
			step_build_access(&b, steps[i].tid, (enum step_op)steps[i].op,
					  steps[i].obj);
		else
			step_build(&b, steps[i].tid, (enum step_op)steps[i].op, steps[i].obj);
	}
	m = step_build_model(&b, &(struct model_options){ 0 });
	c = causal_new(m, CAUSAL_STRICT, false);
	o = osr_new(m, c, true, 0);
	TAP_EQ(osr_reach(o, &(struct goal){ .next = targets, .nnext = 3 }, &out), GOAL_FOUND,
	       "three sections move");
	order_to_schedule(m, &out, &s);
	n = naive_order(m, &s, order);
	TAP_OK(naive_witness(m, true, order, n, 6, 10) && naive_witness(m, true, order, n, 6, 14),
	       "in the order they need");
	exact_order_release(&out);
	schedule_release(&s);
	osr_free(o);
	causal_free(c);
	model_free(m);
	step_builder_release(&b);
}

/* More signatures than are kept: the first ones, said aloud, whatever the number of threads. */
static void test_limit(void)
{
	struct step_builder b = { 0 };
	struct engine_options opt = { .jobs = 1 };
	struct engine_result one, three;
	struct model *m;

	for (uint32_t i = 0; i < 400; i++) {
		step_build_access(&b, 1 + i % 2, STEP_WRITE, i % 3);
		step_build_last(&b)->site = i + 1;
	}
	m = step_build_model(&b, &(struct model_options){ 0 });
	one = run_engine(&engine_syncp, m, opt);
	opt.jobs = 3;
	three = run_engine(&engine_syncp, m, opt);
	TAP_EQ(one.findings.at.n, 10000, "10000 pairs of places are kept");
	TAP_EQ(one.truncated.n, 1, "and the rest is mentioned");
	TAP_OK(same_findings(&one, &three), "the same ones with three threads");
	engine_result_release(&one);
	engine_result_release(&three);
	model_free(m);
	step_builder_release(&b);
}

int main(void)
{
	srand(11);
	test_reversal();
	test_taken();
	test_chain_of_reversals();
	test_limit();
	test_random(&(struct naive_kind){ 0 }, "plain");
	test_random(&(struct naive_kind){ .readers = true }, "read locks");
	test_random(&(struct naive_kind){ .edges = true }, "edges");
	test_random(&(struct naive_kind){ .facts = true }, "facts");
	test_random(&(struct naive_kind){ .facts = true, .trouble = true }, "trouble");
	test_random(&(struct naive_kind){ true, true, true, true }, "everything");
	return tap_done();
}
