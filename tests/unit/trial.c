#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "trace/trace.h"
#include "tap.h"
#include "witness/evidence.h"

#define STATES 1000000 /* no trace has so many */

bool trial_complain(const struct trial *x, const char *what)
{
	static int said;

	if (said >= 5)
		return false;
	said++;
	printf("# SEED=%llu: %s\n", (unsigned long long)x->seed, what);
	for (const char *p = x->text; *p;) {
		const char *end = strchr(p, '\n');

		printf("#\t%.*s\n", (int)(end - p), p);
		p = end + 1;
	}
	return true;
}

static struct enumerate_mode mode_of(enum wanted w)
{
	return (struct enumerate_mode){
		.strict = w == WANT_STRICT || w == WANT_SYNCP_STRICT || w == WANT_VALUES_STRICT,
		.keep_locks = w == WANT_SYNCP_STRICT || w == WANT_SYNCP_DEP,
		.values = w == WANT_VALUES_STRICT || w == WANT_VALUES_DEP,
		/* In observed order nobody looks at comparisons. */
		.no_tests = w == WANT_SYNCP_STRICT || w == WANT_SYNCP_DEP,
	};
}

static void enumerate_orders(struct trial *x)
{
	enumerate_hb(&x->t, false, &x->want[WANT_HB]);
	enumerate_hb(&x->t, true, &x->want[WANT_HB_WIDE]);
	enumerate_shb(&x->t, &x->want[WANT_SHB]);
	enumerate_wcp(&x->t, false, &x->want[WANT_WCP]);
	enumerate_wcp(&x->t, true, &x->want[WANT_WCP_WIDE]);
}

/* From WANT_STRICT on, before `end'. */
static void enumerate_until(struct trial *x, enum wanted end)
{
	for (enum wanted w = WANT_STRICT; w < end; w++) {
		x->all[w] = enumerate(&x->t, mode_of(w), STATES);
		if (!x->all[w])
			BUG("seed %llu has too many states", (unsigned long long)x->seed);
		x->want[w] = *enumeration_races(x->all[w]);
	}
}

static bool load(struct trial *x)
{
	struct evidence_options opt = { .values = x->t.values };
	struct diag d = { 0 };

	x->fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(x->path, sizeof(x->path), "/proc/self/fd/%d", x->fd);
	if (x->fd < 0 || write(x->fd, x->text, strlen(x->text)) != (ssize_t)strlen(x->text))
		BUG("no memory file");
	if (trace_open(x->path, NULL, &x->trace, &d) == ST_OK &&
	    evidence_load(x->trace, &opt, &x->evidence, &d) == ST_OK) {
		evidence_check(x->evidence);
		x->checker = checker_new(x->evidence);
		return true;
	}
	trial_complain(x, d.message);
	return false;
}

static void make(struct trial *x, uint64_t seed, int n, unsigned features)
{
	memset(x, 0, sizeof(*x));
	x->seed = seed;
	x->fd = -1;
	tiny_random(&x->t, seed, n, features);
	tiny_print(&x->t, x->text, sizeof(x->text));
}

static bool begin_tests(struct trial *x, uint64_t seed)
{
	static const unsigned features[] = {
		0, 0, TINY_ATOMICS, TINY_RWLOCKS, TINY_REREADS, TINY_LIVES | TINY_RWLOCKS,
	};

	make(x, seed, 8 + (int)(seed / 6 % 13),
	     TINY_TESTS | TINY_FACTS | TINY_VALUES | features[seed % 6]);
	enumerate_orders(x);
	enumerate_until(x, NWANTED);
	return load(x);
}

bool trial_begin(struct trial *x, uint64_t seed)
{
	static const unsigned features[] = {
		0,
		TINY_FACTS,
		TINY_FACTS | TINY_ATOMICS,
		TINY_FACTS | TINY_HALVES,
		TINY_RWLOCKS,
		TINY_FACTS | TINY_RWLOCKS | TINY_ATOMICS | TINY_HALVES,
		TINY_FACTS | TINY_VALUES,
		TINY_FACTS | TINY_VALUES | TINY_ATOMICS,
		TINY_FREES,
		TINY_FREES | TINY_FACTS | TINY_RWLOCKS | TINY_ATOMICS | TINY_HALVES,
		TINY_LIVES,
		TINY_LIVES | TINY_FACTS | TINY_RWLOCKS | TINY_VALUES,
	};
	const uint64_t n = sizeof(features) / sizeof(features[0]);
	unsigned f = features[seed % n];

	if (seed >= TRIAL_TESTS)
		return begin_tests(x, seed);
	if (seed / n % 3 == 2 && !(f & TINY_VALUES))
		f |= TINY_REREADS;
	make(x, seed, 6 + (int)(seed / n % 15), f);
	enumerate_orders(x);
	enumerate_until(x, NWANTED);
	return load(x);
}

/* Comparisons, in half of the traces with facts that can have values. */
static unsigned tests_too(uint64_t seed, unsigned features)
{
	bool can =
		(features & TINY_FACTS) && !(features & (TINY_FREES | TINY_REREADS | TINY_HALVES));

	return can && seed / 8 % 2 ? TINY_TESTS | TINY_VALUES : 0;
}

bool trial_begin_locks(struct trial *x, uint64_t seed)
{
	static const unsigned features[] = {
		0,
		TINY_FACTS,
		TINY_RWLOCKS,
		TINY_TRIES,
		TINY_FACTS | TINY_ATOMICS,
		TINY_FACTS | TINY_RWLOCKS | TINY_TRIES,
		TINY_REREADS,
		TINY_RWLOCKS,
	};

	make(x, seed, 10 + (int)(seed / 8 % 13),
	     TINY_LOCKING | features[seed % 8] | tests_too(seed, features[seed % 8]));
	enumerate_until(x, WANT_VALUES_STRICT);
	return load(x);
}

bool trial_begin_waits(struct trial *x, uint64_t seed)
{
	static const unsigned features[] = {
		TINY_LOCKING,
		0,
		TINY_LOCKING | TINY_FACTS,
		TINY_LOCKING | TINY_TRIES | TINY_RWLOCKS,
	};

	make(x, seed, 8 + (int)(seed / 4 % 13), TINY_WAITS | features[seed % 4]);
	enumerate_until(x, WANT_VALUES_STRICT);
	return load(x);
}

bool trial_begin_counts(struct trial *x, uint64_t seed)
{
	static const unsigned features[] = {
		0,
		TINY_FACTS,
		TINY_RWLOCKS,
		TINY_LOCKING,
		TINY_FACTS | TINY_VALUES,
		TINY_LOCKING | TINY_RWLOCKS | TINY_FACTS,
		0,
		TINY_FACTS | TINY_RWLOCKS | TINY_HALVES,
	};

	make(x, seed, 8 + (int)(seed / 8 % 15), TINY_COUNTS | features[seed % 8]);
	enumerate_until(x, NWANTED);
	return load(x);
}

bool trial_begin_blocks(struct trial *x, uint64_t seed)
{
	static const unsigned features[] = {
		0,
		TINY_FACTS,
		TINY_FACTS | TINY_ATOMICS,
		TINY_FACTS | TINY_HALVES,
		TINY_RWLOCKS,
		TINY_FACTS | TINY_RWLOCKS | TINY_ATOMICS | TINY_HALVES,
		TINY_FACTS | TINY_WAITS,
		TINY_FREES | TINY_FACTS,
		TINY_COUNTS | TINY_FACTS,
		TINY_COUNTS | TINY_FACTS | TINY_RWLOCKS | TINY_TRIES,
		TINY_LOCKING | TINY_FACTS | TINY_RWLOCKS | TINY_TRIES,
		TINY_LIVES | TINY_FACTS | TINY_RWLOCKS,
		TINY_REREADS,
		TINY_REREADS | TINY_FACTS | TINY_ATOMICS,
		TINY_GIVES | TINY_FACTS,
		TINY_KINDS | TINY_FACTS | TINY_RWLOCKS | TINY_TRIES,
		TINY_KINDS | TINY_LOCKING | TINY_FACTS,
		TINY_LOOKS | TINY_FACTS | TINY_ATOMICS,
	};
	const uint64_t n = sizeof(features) / sizeof(features[0]);

	/* Without blocks, too: what nobody marks may be guessed. */
	make(x, seed, 8 + (int)(seed / n % 11),
	     (seed % 5 ? TINY_BLOCKS : 0) | features[seed % n] |
		     tests_too(seed, features[seed % n]));
	return load(x);
}

bool trial_text(struct trial *x, const char *text)
{
	memset(x, 0, sizeof(*x));
	x->fd = -1;
	x->t.values = true;
	snprintf(x->text, sizeof(x->text), "%s", text);
	return load(x);
}

void trial_end(struct trial *x)
{
	for (int w = 0; w < NWANTED; w++)
		enumeration_free(x->all[w]);
	if (x->checker)
		checker_free(x->checker);
	if (x->evidence)
		evidence_free(x->evidence);
	if (x->trace)
		trace_close(x->trace);
	if (x->fd >= 0)
		close(x->fd);
}

struct check_claim trial_claim(const uint64_t *targets, const struct check_order *order,
			       bool strict, bool values)
{
	return (struct check_claim){ .kind = FINDING_RACE,
				     .targets = targets,
				     .ntargets = 2,
				     .order = order->at.at,
				     .norder = order->at.n,
				     .strict = strict,
				     .values = values };
}

bool trial_certify(const struct trial *x, const struct check_claim *claim, bool *dep)
{
	struct check_verdict v = { 0 };
	bool certified;

	checker_run(x->checker, claim, &v);
	certified = v.certified && !v.doubtful;
	if (dep)
		*dep = v.dep;
	check_verdict_release(&v);
	return certified;
}

/* By the definition of its kind. */
static bool holds(const struct trial *x, const struct check_claim *c, const int *order, int n,
		  uint32_t relaxed, bool sure)
{
	struct enumerate_mode mode = { .strict = c->strict, .values = c->values };
	int a = (int)c->targets[0] - 1, b = (int)c->targets[1] - 1;
	bool lost = c->kind == FINDING_LOST_WAKEUP, joins = false;
	enum wait_kind wait = lost ? (sure ? WAIT_LOST_SURE : WAIT_LOST)
				   : (sure ? WAIT_HOLDING_SURE : WAIT_HOLDING);
	uint32_t events = 0;

	if (c->kind == FINDING_RACE)
		return enumerate_witness(&x->t, order, n, a, b, relaxed, mode);
	if (lost || c->kind == FINDING_WAIT_HOLDING)
		return enumerate_wait(&x->t, order, n, wait, a, b, relaxed, mode) ||
		       enumerate_wait(&x->t, order, n, wait, b, a, relaxed, mode);
	for (uint32_t i = 0; i < c->ntargets; i++) {
		if (events >> (c->targets[i] - 1) & 1)
			return false;
		events |= 1u << (c->targets[i] - 1);
		joins |= x->t.at[c->targets[i] - 1].op == TINY_JOIN;
	}
	return joins == (c->kind == FINDING_JOIN_HOLDING) &&
	       enumerate_deadlock(&x->t, order, n, events, relaxed, mode);
}

static bool claim_holds(const struct trial *x, const struct check_claim *c, bool sure)
{
	int order[TINY_EVENTS], n = 0;
	uint32_t relaxed = 0;

	for (size_t i = 0; i < c->nstray; i++)
		relaxed |= 1u << (c->stray[i] - 1);
	for (size_t i = 0; i < c->norder; i++) {
		if (n == x->t.n || c->order[i] < 1 || c->order[i] > (uint64_t)x->t.n)
			return false;
		order[n++] = (int)c->order[i] - 1;
	}
	return holds(x, c, order, n, relaxed, sure);
}

bool trial_holds(const struct trial *x, const struct check_claim *c)
{
	return claim_holds(x, c, true);
}

bool trial_holds_in_doubt(const struct trial *x, const struct check_claim *c)
{
	return claim_holds(x, c, false);
}

struct trial_seeds trial_seeds(uint64_t usual, uint64_t many)
{
	const char *seed = getenv("SEED");

	if (seed)
		return (struct trial_seeds){ strtoull(seed, NULL, 0), 1 };
	return (struct trial_seeds){ 1, tap_rounds(usual, many) };
}
