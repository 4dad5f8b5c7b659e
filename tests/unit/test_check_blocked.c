/*
 * The checker against the definitions of deadlocks and of waits without end (enumerate.h), on random
 * tiny traces: orders that lead there, the same with something changed, and random ones.
 *
 * Environment: LONG=1 more traces; SEED=N only that one, printed.
 */
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "enumerate.h"
#include "tap.h"
#include "tiny.h"
#include "trial.h"
#include "witness/check.h"

#define TRACES 12000
#define TRACES_LONG 200000

static struct {
	unsigned claims, certified, doubtful, wrong;
} tally[FINDING_NKINDS];

static void show_claim(const struct check_claim *c, const struct check_verdict *v)
{
	printf("# %s of", finding_kind_name(c->kind));
	for (uint32_t i = 0; i < c->ntargets; i++)
		printf(" %llu", (unsigned long long)c->targets[i]);
	printf("%s, checker: %d %d %s; after", c->strict ? ", strict" : "", v->certified,
	       v->doubtful, v->what);
	for (size_t i = 0; i < c->norder; i++)
		printf(" %llu", (unsigned long long)c->order[i]);
	for (size_t i = 0; i < c->nstray; i++)
		printf("%s %llu", i ? "" : "; relaxed", (unsigned long long)c->stray[i]);
	printf("\n");
}

static void compare_claim(const struct trial *x, const struct check_claim *c)
{
	bool want = trial_holds_in_doubt(x, c), sure = trial_holds(x, c);
	struct check_verdict v;

	checker_run(x->checker, c, &v);
	tally[c->kind].claims++;
	tally[c->kind].certified += v.certified && !v.doubtful;
	tally[c->kind].doubtful += v.certified && v.doubtful;
	if (v.certified != want || (want && v.doubtful == sure)) {
		tally[c->kind].wrong++;
		if (trial_complain(x, "the checker is wrong"))
			show_claim(c, &v);
	}
	check_verdict_release(&v);
}

/* Another order: an event moved, dropped or added. */
static void mutate(const struct trial *x, struct tiny_rng *rng, struct check_order *o)
{
	uint32_t n = (uint32_t)o->at.n, i = n ? tiny_below(rng, n) : 0;
	uint32_t how = tiny_below(rng, 3), k = n ? tiny_below(rng, n) : 0;
	uint64_t e;

	if (how == 0 || n < 2) {
		*VEC_PUSH(&o->at) = 1 + tiny_below(rng, (uint32_t)x->t.n);
		return;
	}
	e = o->at.at[i];
	memmove(o->at.at + i, o->at.at + i + 1, (n - i - 1) * sizeof(uint64_t));
	o->at.n--;
	if (how == 1 || k >= n - 1)
		return;
	memmove(o->at.at + k + 1, o->at.at + k, (n - 1 - k) * sizeof(uint64_t));
	o->at.at[k] = e;
	o->at.n++;
}

static void try_claim(const struct trial *x, struct tiny_rng *rng, struct check_claim c,
		      const struct check_order *o)
{
	uint64_t relaxed[TINY_EVENTS];

	c.order = o->at.at;
	c.norder = o->at.n;
	c.strict = tiny_chance(rng, 30);
	c.stray = relaxed;
	for (size_t q = 0; q < o->at.n && tiny_chance(rng, 20); q++)
		if (x->t.at[o->at.at[q] - 1].op == TINY_READ && c.nstray < TINY_EVENTS)
			relaxed[c.nstray++] = o->at.at[q];
	compare_claim(x, &c);
}

/* The order as it is, and worse and worse. */
static void try_order(const struct trial *x, struct tiny_rng *rng, struct check_claim c,
		      const int *order, int n)
{
	struct check_order o = { 0 };

	for (int k = 0; k < n; k++)
		*VEC_PUSH(&o.at) = (uint64_t)order[k] + 1;
	for (int k = 0; k < 4; k++) {
		try_claim(x, rng, c, &o);
		mutate(x, rng, &o);
	}
	VEC_RELEASE(&o.at);
}

/* Right but for one target, or for the kind. */
static void try_other_targets(const struct trial *x, struct tiny_rng *rng, struct check_claim c,
			      const int *order, int n)
{
	uint64_t targets[FINDING_EVENTS];

	memcpy(targets, c.targets, c.ntargets * sizeof(targets[0]));
	c.targets = targets;
	targets[tiny_below(rng, c.ntargets)] = 1 + tiny_below(rng, (uint32_t)x->t.n);
	try_order(x, rng, c, order, n);
	if (c.ntargets == 2) {
		c.kind = FINDING_DEADLOCK + tiny_below(rng, 4);
		try_order(x, rng, c, order, n);
	}
}

static void try_deadlocks(const struct trial *x, struct tiny_rng *rng,
			  const struct enumeration *all)
{
	int order[TINY_EVENTS], n, len;
	const struct deadlock *d = enumeration_deadlocks(all, &n);

	for (int i = 0; i < n; i++) {
		uint64_t targets[FINDING_EVENTS];
		struct check_claim c = { .targets = targets };

		c.kind = d[i].joins ? FINDING_JOIN_HOLDING : FINDING_DEADLOCK;
		for (int e = 0; e < x->t.n; e++)
			if (d[i].events >> e & 1)
				targets[c.ntargets++] = (uint64_t)e + 1;
		len = enumeration_deadlock_order(all, &d[i], order);
		try_order(x, rng, c, order, len);
		try_other_targets(x, rng, c, order, len);
	}
}

static void try_waits(const struct trial *x, struct tiny_rng *rng, const struct enumeration *all)
{
	int order[TINY_EVENTS];

	for (int k = 0; k < NWAITS; k++) {
		for (int i = 0; i < x->t.n; i++) {
			for (int j = i + 1; j < x->t.n; j++) {
				uint64_t targets[] = { (uint64_t)i + 1, (uint64_t)j + 1 };
				struct check_claim c = { .targets = targets, .ntargets = 2 };
				int n;

				if (!pairs_has(enumeration_waits(all, k), i, j))
					continue;
				c.kind = k < WAIT_LOST ? FINDING_WAIT_HOLDING : FINDING_LOST_WAKEUP;
				n = enumeration_wait_order(all, k, i, j, order);
				try_order(x, rng, c, order, n);
				try_other_targets(x, rng, c, order, n);
			}
		}
	}
}

static unsigned try_traces(bool (*begin)(struct trial *x, uint64_t seed), struct trial_seeds seeds)
{
	unsigned unread = 0;

	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		struct tiny_rng rng = { k };
		static struct trial x;

		if (begin(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			for (int w = WANT_STRICT; w <= WANT_DEP; w++) {
				try_deadlocks(&x, &rng, x.all[w]);
				try_waits(&x, &rng, x.all[w]);
			}
		} else {
			unread++;
		}
		trial_end(&x);
	}
	return unread;
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	unsigned unread = try_traces(trial_begin_locks, seeds);

	unread += try_traces(trial_begin_waits, seeds);
	TAP_EQ(unread, 0, "%llu traces are read", 2 * (unsigned long long)seeds.n);
	for (unsigned k = FINDING_DEADLOCK; k <= FINDING_LOST_WAKEUP; k++) {
		TAP_EQ(tally[k].wrong, 0, "%s: as defined, %u claims, %u certified, %u in doubt",
		       finding_kind_name(k), tally[k].claims, tally[k].certified,
		       tally[k].doubtful);
		if (seeds.n > 1)
			TAP_OK(tally[k].certified > 300 && tally[k].certified * 2 < tally[k].claims,
			       "%s: claims of both kinds", finding_kind_name(k));
	}
	return tap_done();
}
