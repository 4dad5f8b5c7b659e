/*
 * The checker against the definition of a witness (enumerate.h), on random tiny traces: orders that
 * lead to races, the same with something changed, and orders that mostly lead nowhere.
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

#define TRACES 20000
#define TRACES_LONG 1000000

static struct {
	unsigned orders, certified, dep, wrong;
} checks;

static void show_claim(const struct check_claim *c, bool got)
{
	printf("# %llu-%llu%s%s, checker says %s, after", (unsigned long long)c->targets[0],
	       (unsigned long long)c->targets[1], c->strict ? ", strict" : "",
	       c->values ? ", values" : "", got ? "yes" : "no");
	for (size_t i = 0; i < c->norder; i++)
		printf(" %llu", (unsigned long long)c->order[i]);
	for (size_t i = 0; i < c->nstray; i++)
		printf("%s %llu", i ? "" : "; relaxed", (unsigned long long)c->stray[i]);
	printf("\n");
}

static void compare_claim(const struct trial *x, const struct check_claim *claim)
{
	struct check_claim strict = *claim;
	bool dep = false, got = trial_certify(x, claim, &dep), want = trial_holds(x, claim);

	checks.orders++;
	checks.certified += got;
	checks.dep += dep;
	strict.strict = true;
	/* A free read that is relaxed as well may be taken either way. */
	if (got == want && (!got || claim->strict || claim->values ||
			    dep == !trial_holds(x, &strict) || (dep && claim->nstray)))
		return;
	checks.wrong++;
	if (trial_complain(x,
			   got == want ? "the checker's model is wrong" : "the checker is wrong"))
		show_claim(claim, got);
}

static void swap(struct check_order *o, uint32_t i, uint32_t j)
{
	uint64_t e = o->at.at[i];

	o->at.at[i] = o->at.at[j];
	o->at.at[j] = e;
}

/* Another order: an event moved, dropped or added.  The targets stay out of it. */
static void mutate(const struct trial *x, struct tiny_rng *rng, const uint64_t *targets,
		   struct check_order *o)
{
	uint32_t n = (uint32_t)o->at.n, i = n ? tiny_below(rng, n) : 0;
	uint64_t e = 1 + tiny_below(rng, (uint32_t)x->t.n);
	uint32_t how = tiny_below(rng, 4);

	if (how == 0 || !n) {
		if (e != targets[0] && e != targets[1])
			*VEC_PUSH(&o->at) = e;
	} else if (how == 1) {
		memmove(o->at.at + i, o->at.at + i + 1, (n - i - 1) * sizeof(uint64_t));
		o->at.n--;
	} else {
		swap(o, i, how == 2 ? tiny_below(rng, n) : i + 1 < n ? i + 1 : i);
	}
}

/* A run of the threads as they please, with no regard for locks and values, until both are next. */
static void random_order(const struct trial *x, struct tiny_rng *rng, const uint64_t *targets,
			 struct check_order *o)
{
	int done[TINY_THREADS] = { 0 };

	for (int left = 4 * x->t.n; left > 0; left--) {
		int u = (int)tiny_below(rng, (uint32_t)x->t.nthreads);
		bool has_target =
			u == x->t.at[targets[0] - 1].thread || u == x->t.at[targets[1] - 1].thread;
		uint64_t e;

		if (done[u] == x->t.len[u])
			continue;
		e = 1 + (uint64_t)x->t.thread_event[u][done[u]];
		if (e == targets[0] || e == targets[1])
			continue;
		if (!has_target && tiny_chance(rng, 10)) {
			done[u] = x->t.len[u]; /* it goes no further */
			continue;
		}
		done[u]++;
		*VEC_PUSH(&o->at) = e;
	}
}

/* The claim as it is, and with the order going on to the targets: the same claim. */
static void try_claim(const struct trial *x, struct tiny_rng *rng, const uint64_t *targets,
		      struct check_order *o)
{
	struct check_claim c =
		trial_claim(targets, o, tiny_chance(rng, 30), x->t.values && tiny_chance(rng, 50));
	struct check_claim longer;
	uint64_t relaxed[TINY_EVENTS];
	size_t first = tiny_below(rng, 2);

	if (tiny_chance(rng, 30)) {
		c.stray = relaxed;
		for (size_t q = 0; q < o->at.n && c.nstray < TINY_EVENTS; q++)
			if (x->t.at[o->at.at[q] - 1].op == TINY_READ && tiny_chance(rng, 50))
				relaxed[c.nstray++] = o->at.at[q];
	}
	compare_claim(x, &c);
	if (c.stray)
		return;
	longer = c;
	*VEC_PUSH(&o->at) = targets[first];
	*VEC_PUSH(&o->at) = targets[1 - first];
	c.order = longer.order = o->at.at; /* it may have moved */
	longer.norder += 2;
	if (trial_certify(x, &longer, NULL) != trial_certify(x, &c, NULL)) {
		checks.wrong++;
		if (trial_complain(x, "with the targets at its end the order counts otherwise"))
			show_claim(&longer, false);
	}
	o->at.n -= 2;
}

/* From an order of n events, or with n below 0 from a random one. */
static void try_claims(const struct trial *x, struct tiny_rng *rng, int i, int j, const int *order,
		       int n)
{
	uint64_t targets[2] = { (uint64_t)i + 1, (uint64_t)j + 1 };
	struct check_order o = { 0 };

	for (int k = 0; k < n; k++)
		*VEC_PUSH(&o.at) = (uint64_t)order[k] + 1;
	if (n < 0)
		random_order(x, rng, targets, &o);
	for (int k = 0; k < 4; k++) {
		try_claim(x, rng, targets, &o);
		mutate(x, rng, targets, &o);
	}
	VEC_RELEASE(&o.at);
}

static void try_checker(const struct trial *x)
{
	struct tiny_rng rng = { x->seed };
	int order[TINY_EVENTS];

	for (int i = 0; i < x->t.n; i++) {
		for (int j = i + 1; j < x->t.n; j++) {
			if (!tiny_conflict(&x->t, i, j) && tiny_chance(&rng, 95))
				continue;
			for (int w = WANT_STRICT; w < NWANTED; w++) {
				if (pairs_has(&x->want[w], i, j))
					try_claims(x, &rng, i, j, order,
						   enumeration_order(x->all[w], i, j, order));
			}
			try_claims(x, &rng, i, j, NULL, -1);
		}
	}
}

int main(void)
{
	struct trial_seeds seeds = trial_seeds(TRACES, TRACES_LONG);
	unsigned unread = 0;

	for (uint64_t k = seeds.from; k < seeds.from + seeds.n; k++) {
		static struct trial x;

		if (trial_begin(&x, k)) {
			if (seeds.n == 1)
				trial_complain(&x, "the trace");
			try_checker(&x);
		} else {
			unread++;
		}
		trial_end(&x);
	}
	TAP_EQ(unread, 0, "%llu traces are read", (unsigned long long)seeds.n);
	TAP_EQ(checks.wrong, 0, "as the definition says: %u orders, %u certified, %u of them dep",
	       checks.orders, checks.certified, checks.dep);
	if (seeds.n > 1)
		TAP_OK(checks.certified * 20 > checks.orders &&
			       checks.certified * 20 < checks.orders * 19 &&
			       checks.dep * 100 > checks.certified,
		       "the orders are of all kinds");
	return tap_done();
}
