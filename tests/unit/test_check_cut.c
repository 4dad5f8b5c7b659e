/*
 * witness/check_cut against the walk, on random tiny traces and all races that are next after random
 * cuts: what it certifies the walk certifies, in the same words; and what is left to the walk though
 * it takes nothing but plain events is nothing the walk would certify.
 */
#include "witness/check.h"

#include <string.h>

#include "finding/schedule.h"
#include "tap.h"
#include "trial.h"
#include "witness/evidence.h"

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 16) % n);
}

struct tally {
	size_t asked, certified, cut, bad, missed, traces;
};

/* A first part of the trace, of which some threads are cut shorter. */
static void cut_make(const struct trial *x, struct schedule *s)
{
	uint32_t n = (uint32_t)evidence_count(x->evidence), upto = random_below(n + 1);
	struct evidence_event e;

	VEC_CLEAR(&s->count);
	for (uint32_t pos = 1; pos <= upto; pos++) {
		e = evidence_get(x->evidence, pos);
		VEC_REACH(&s->count, e.tid);
		s->count.at[e.tid]++;
	}
	for (uint32_t k = random_below(4); k > 0 && s->count.n > 0; k--) {
		uint64_t *count = &s->count.at[random_below((uint32_t)s->count.n)];

		*count -= random_below((uint32_t)*count + 1);
	}
}

static bool is_next(const struct trial *x, const struct schedule *s, uint64_t pos)
{
	struct evidence_event e = evidence_get(x->evidence, pos);

	return e.index == (e.tid < s->count.n ? s->count.at[e.tid] : 0);
}

static bool same_list(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	return n == m && (n == 0 || memcmp(a, b, n * sizeof(*a)) == 0);
}

static void compare(const struct trial *x, const struct check_cuts *k, const struct schedule *s,
		    uint64_t a, uint64_t b, bool plain, struct tally *t)
{
	uint64_t targets[] = { a, b };
	struct check_order order = { 0 };
	struct check_verdict cut = { 0 }, walk = { 0 };
	struct check_claim claim;
	bool yes;

	if (!check_expand(x->evidence, s, &order)) {
		t->bad++;
		return;
	}
	claim = trial_claim(targets, &order, random_below(2), false);
	yes = checker_run_cut(x->checker, k, &claim, s, &cut);
	checker_run(x->checker, &claim, &walk);
	t->asked++;
	t->certified += walk.certified;
	t->cut += yes;
	t->missed += plain && !yes && walk.certified && walk.tainted.n == 0;
	if (yes &&
	    (!walk.certified || walk.dep || cut.dep || cut.observed != walk.observed ||
	     cut.doubtful != walk.doubtful || cut.doubt != walk.doubt || cut.tainted.n ||
	     strcmp(cut.what, walk.what) != 0 ||
	     !same_list(cut.stray.at, cut.stray.n, walk.stray.at, walk.stray.n)) &&
	    t->bad++ == 0)
		(void)trial_complain(x, walk.what);
	if (yes)
		check_verdict_release(&cut);
	check_verdict_release(&walk);
	VEC_RELEASE(&order.at);
}

static void try_cuts(const struct trial *x, bool plain, struct tally *t)
{
	struct check_cuts *k = check_cuts_new(x->evidence);
	uint64_t n = evidence_count(x->evidence);
	struct schedule s = { 0 };

	for (int i = 0; i < 40; i++) {
		cut_make(x, &s);
		for (uint64_t a = 1; a <= n; a++)
			for (uint64_t b = 1; b <= n; b++)
				if (a != b && is_next(x, &s, a) && is_next(x, &s, b))
					compare(x, k, &s, a, b, plain, t);
	}
	schedule_release(&s);
	check_cuts_free(k);
	t->traces++;
}

/* plain: these traces have no event that must be left to the walk. */
static void test_random(bool (*begin)(struct trial *, uint64_t), uint64_t nth, uint64_t of,
			bool plain, const char *name)
{
	struct trial_seeds seeds = trial_seeds(600, 10000);
	struct tally t = { 0 };

	for (uint64_t seed = seeds.from; seed < seeds.from + seeds.n; seed++) {
		struct trial x;

		if (of != 0 && seed % of != nth)
			continue;
		if (begin(&x, seed))
			try_cuts(&x, plain, &t);
		trial_end(&x);
	}
	TAP_OK(t.bad == 0 && t.cut > 0, "%s: %zu of %zu races certified without a walk", name,
	       t.cut, t.certified);
	TAP_OK(t.traces > 0 && t.missed == 0, "%s: none left to the walk needlessly", name);
}

int main(void)
{
	test_random(trial_begin, 0, 0, false, "data");
	test_random(trial_begin_locks, 0, 8, true, "locks alone");
	test_random(trial_begin_locks, 0, 0, false, "locks");
	test_random(trial_begin_waits, 0, 0, false, "waits");
	test_random(trial_begin_counts, 0, 0, false, "semaphores, tries");
	return tap_done();
}
