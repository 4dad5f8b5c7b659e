#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "trace/trace.h"
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
	};
}

static void enumerate_all(struct trial *x)
{
	enumerate_hb(&x->t, false, &x->want[WANT_HB]);
	enumerate_hb(&x->t, true, &x->want[WANT_HB_WIDE]);
	enumerate_shb(&x->t, &x->want[WANT_SHB]);
	enumerate_wcp(&x->t, false, &x->want[WANT_WCP]);
	enumerate_wcp(&x->t, true, &x->want[WANT_WCP_WIDE]);
	for (int w = WANT_STRICT; w < NWANTED; w++) {
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
		x->checker = checker_new(x->evidence);
		return true;
	}
	trial_complain(x, d.message);
	return false;
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
	};

	memset(x, 0, sizeof(*x));
	x->seed = seed;
	x->fd = -1;
	tiny_random(&x->t, seed, 6 + (int)(seed / 8 % 15), features[seed % 8]);
	tiny_print(&x->t, x->text, sizeof(x->text));
	enumerate_all(x);
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
	certified = v.certified;
	if (dep)
		*dep = v.dep;
	check_verdict_release(&v);
	return certified;
}

bool trial_holds(const struct trial *x, const struct check_claim *c)
{
	struct enumerate_mode mode = { .strict = c->strict, .values = c->values };
	int order[TINY_EVENTS], n = 0;
	uint32_t relaxed = 0;

	for (size_t i = 0; i < c->nrelaxed; i++)
		relaxed |= 1u << (c->relaxed[i] - 1);
	for (size_t i = 0; i < c->norder; i++) {
		if (n == x->t.n || c->order[i] < 1 || c->order[i] > (uint64_t)x->t.n)
			return false;
		order[n++] = (int)c->order[i] - 1;
	}
	return enumerate_witness(&x->t, order, n, (int)c->targets[0] - 1, (int)c->targets[1] - 1,
				 relaxed, mode);
}

struct trial_seeds trial_seeds(uint64_t usual, uint64_t many)
{
	const char *seed = getenv("SEED");

	if (seed)
		return (struct trial_seeds){ strtoull(seed, NULL, 0), 1 };
	return (struct trial_seeds){ 1, getenv("LONG") ? many : usual };
}
