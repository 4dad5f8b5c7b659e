/*
 * How long the exact search takes for one candidate: STD traces of 1000 events and 8 threads are
 * made by tracegen (argv[1]), every conflicting pair of places that neither locks nor must-edges
 * settle is decided.  Prints the median, the worst and how many stayed undecided.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/vec.h"
#include "order/causal.h"
#include "order/model.h"
#include "order/step.h"
#include "predict/engine.h"
#include "predict/exact.h"
#include "predict/goal.h"
#include "trace/trace.h"

#define TRACES 20
#define PAIRS 200 /* of each trace, spread over all */

static VEC(double) times;
static uint64_t answers[GOAL_OUTCOMES];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct model *load(const char *path)
{
	struct diag d = { 0 };
	struct trace *t;
	struct steps *s;
	struct step_batch b;
	struct model *m = model_new(&(struct model_options){ 0 });

	if (trace_open(path, NULL, &t, &d) != ST_OK)
		exit(2);
	s = steps_new(t, &(struct step_options){ 0 });
	while (steps_next(s, &b, &d) == ST_OK)
		model_take(m, &b);
	model_finish(m);
	steps_free(s);
	trace_close(t);
	return m;
}

static uint32_t held(const struct model *m, uint32_t e)
{
	uint32_t hold = m->event[e].hold;

	return model_held_set(m, hold);
}

/* Event a has to run before b, which comes later in the trace, or b can never be next. */
static bool is_ordered(const struct model *m, const struct causal *hard, uint32_t a, uint32_t b)
{
	uint32_t *cut = mem_zalloc(((size_t)m->nchains + 1) * sizeof(*cut));
	bool ordered = !causal_before(hard, b, cut) || m->event[a].index < cut[m->event[a].chain];

	mem_free(cut);
	return ordered;
}

static bool is_candidate(const struct model *m, const struct causal *hard, uint32_t a, uint32_t b)
{
	return model_conflict(m, a, b) && model_sets_disjoint(m, held(m, a), held(m, b)) &&
	       !is_ordered(m, hard, a, b);
}

static void decide(struct exact *x, uint32_t a, uint32_t b)
{
	struct exact_order order = { 0 };
	double start = now();
	enum goal_outcome answer =
		exact_reach(x, &(struct goal){ .next = (uint32_t[]){ a, b }, .nnext = 2 }, &order);

	*VEC_PUSH(&times) = now() - start;
	answers[answer]++;
	exact_order_release(&order);
}

static void measure(const char *path)
{
	struct engine_options opt = { .jobs = 1 };
	struct model *m = load(path);
	struct causal *hard = causal_new(m, CAUSAL_HARD, false),
		      *c = causal_new(m, CAUSAL_DEP, false);
	struct exact *x = exact_new(m, c, &opt);
	VEC(uint32_t) pairs = { 0 };

	for (uint32_t cell = 0; cell < m->ncells; cell++) {
		struct model_list l = model_cell(m, cell);

		for (uint32_t i = 0; i < l.n; i++)
			for (uint32_t k = i + 1; k < l.n; k++)
				if (is_candidate(m, hard, l.at[i], l.at[k])) {
					*VEC_PUSH(&pairs) = l.at[i];
					*VEC_PUSH(&pairs) = l.at[k];
				}
	}
	for (size_t i = 0, n = pairs.n / 2; i<n; i += n> PAIRS ? n / PAIRS : 1)
		decide(x, pairs.at[2 * i], pairs.at[2 * i + 1]);
	VEC_RELEASE(&pairs);
	exact_free(x);
	causal_free(c);
	causal_free(hard);
	model_free(m);
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One line for traces made with these parameters. */
static void bench(const char *tracegen, const char *name, const char *parameters)
{
	char path[] = "/tmp/foresee-bench-XXXXXX", command[600];
	int fd = mkstemp(path);
	size_t n;

	if (fd < 0)
		exit(2);
	close(fd);
	VEC_CLEAR(&times);
	memset(answers, 0, sizeof(answers));
	for (int seed = 1; seed <= TRACES; seed++) {
		snprintf(command, sizeof(command), "%s events=1000 threads=8 seed=%d %s %s",
			 tracegen, seed, parameters, path);
		if (system(command) != 0)
			exit(2);
		measure(path);
	}
	unlink(path);
	n = times.n;
	if (n == 0)
		return;
	qsort(times.at, n, sizeof(*times.at), by_time);
	printf("exact, 1000 events, 8 threads, %-8s %6zu candidates: median %.2f ms, 99 %% %.1f ms, "
	       "worst %.1f ms; found %.1f %%, impossible %.1f %%, undecided %.2f %%\n",
	       name, n, times.at[n / 2] * 1e3, times.at[n * 99 / 100] * 1e3, times.at[n - 1] * 1e3,
	       100.0 * (double)answers[GOAL_FOUND] / (double)n,
	       100.0 * (double)(answers[GOAL_REFUTED] + answers[GOAL_SEARCHED]) / (double)n,
	       100.0 * (double)answers[GOAL_UNDECIDED] / (double)n);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char beside[500];
	const char *slash = strrchr(argv[0], '/');

	snprintf(beside, sizeof(beside), "%.*s/tracegen", slash ? (int)(slash - argv[0]) : 1,
		 slash ? argv[0] : ".");
	(void)argc;
	bench(beside, "random", "variables=100 locks=10 guarded=0");
	bench(beside, "guarded", "variables=100 locks=10 guarded=90");
	bench(beside, "few", "variables=20 locks=5 guarded=50");
	bench(beside, "locks", "variables=100 locks=10 guarded=90 sync=40");
	VEC_RELEASE(&times);
	return 0;
}
