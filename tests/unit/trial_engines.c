#include "trial_engines.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define QUESTIONS 32

static void see(void *calls, struct trace *t, const struct event *e)
{
	calls_take(calls, t, e);
}

void trial_ask(const struct trial *x, const struct trial_question *q, size_t n, unsigned jobs,
	       struct engine_result *out)
{
	struct calls calls = { .root = 0 };
	struct step_options sopt = { .values = x->t.values, .see = see, .see_arg = &calls };
	struct model_options mopt = { .values = x->t.values };
	struct engine_options opt[QUESTIONS];
	struct model *m = model_new(&mopt);
	struct engine_run *run;
	struct step_batch b;
	struct diag d = { 0 };
	struct trace *t;
	struct steps *s;
	void *self[QUESTIONS] = { NULL };
	enum status st = trace_open(x->path, NULL, &t, &d);

	if (st != ST_OK || n > QUESTIONS)
		BUG("%s", d.message);
	s = steps_new(t, &sopt);
	for (size_t i = 0; i < n; i++) {
		opt[i] = q[i].opt;
		opt[i].jobs = jobs;
		opt[i].calls = &calls;
		if (q[i].engine && q[i].engine->begin)
			self[i] = q[i].engine->begin(q[i].engine, &opt[i]);
	}
	while ((st = steps_next(s, &b, &d)) == ST_OK) {
		for (size_t i = 0; i < n; i++)
			if (q[i].engine && q[i].engine->steps)
				q[i].engine->steps(self[i], &b);
		model_take(m, &b);
	}
	if (st != ST_END)
		BUG("%s", d.message);
	steps_free(s);
	trace_close(t);
	model_finish(m);
	model_check(m);
	run = engine_run_new(m);
	for (size_t i = 0; i < n; i++)
		if (q[i].engine && q[i].engine->search)
			q[i].engine->search(q[i].engine, run, &opt[i], &out[i]);
		else if (q[i].engine)
			q[i].engine->end(self[i], &out[i]);
	engine_run_free(run);
	model_free(m);
	calls_release(&calls);
}

static bool same_schedule(const struct schedule *a, const struct schedule *b)
{
	return a->count.n == b->count.n && a->tail.n == b->tail.n &&
	       (!a->count.n || !memcmp(a->count.at, b->count.at, a->count.n * sizeof(uint64_t))) &&
	       (!a->tail.n || !memcmp(a->tail.at, b->tail.at, a->tail.n * sizeof(uint64_t)));
}

bool trial_same_findings(const struct findings *a, const struct findings *b)
{
	bool same = a->at.n == b->at.n;

	for (size_t i = 0; same && i < a->at.n; i++) {
		const struct finding *f = &a->at.at[i], *g = &b->at.at[i];

		same = f->kind == g->kind && f->nevents == g->nevents &&
		       !memcmp(f->events, g->events, f->nevents * sizeof(f->events[0])) &&
		       f->claimed == g->claimed && f->more == g->more &&
		       same_schedule(&f->schedule, &g->schedule);
	}
	return same;
}

void trial_try(const struct trial *x, const struct trial_question *q, size_t n,
	       void (*judge)(const struct trial *x, size_t i, struct engine_result *r, bool same))
{
	struct engine_result one[QUESTIONS], three[QUESTIONS];
	bool twice = x->seed % 16 < 8;

	memset(one, 0, sizeof(one));
	memset(three, 0, sizeof(three));
	trial_ask(x, q, n, 1, one);
	if (twice)
		trial_ask(x, q, n, 3, three);
	for (size_t i = 0; i < n; i++) {
		bool same = !twice || trial_same_findings(&one[i].findings, &three[i].findings);

		if (q[i].engine) {
			if (!same)
				trial_complain(x, "one job and three jobs give different findings");
			judge(x, i, &one[i], same);
		}
		engine_result_release(&one[i]);
		engine_result_release(&three[i]);
	}
}

bool trial_proves(const struct trial *x, const struct engine_options *opt, const struct finding *f)
{
	struct check_order order = { 0 };
	struct check_verdict v = { 0 };
	struct check_claim claim;
	bool good = check_expand(x->evidence, &f->schedule, &order);

	claim = trial_claim(f->events, &order, opt->strict, opt->values);
	claim.kind = f->kind;
	claim.ntargets = f->nevents;
	if (good)
		checker_run(x->checker, &claim, &v);
	good = good && v.certified &&
	       (v.doubtful ? trial_holds_in_doubt(x, &claim) : trial_holds(x, &claim));
	check_verdict_release(&v);
	VEC_RELEASE(&order.at);
	return good;
}

bool trial_is_wanted(const char *engine)
{
	const char *only = getenv("ONLY");
	size_t n = strlen(engine);

	if (!only)
		return true;
	for (const char *p = only; (p = strstr(p, engine)) != NULL; p += n)
		if ((p == only || p[-1] == ',') && (p[n] == ',' || p[n] == '\0'))
			return true;
	return false;
}
