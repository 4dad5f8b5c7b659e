/*
 * The deadlock engines on runs made from any bytes, and the checker on all they claim.
 *
 * The text of deadlocks_machine.h is read as any trace is.
 *
 * What must hold: the checker certifies every claimed schedule; one of the strict model holds in
 * the others too, and its finding is found there; each engine of a row finds what the narrower one
 * before it does; nothing takes long.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "order/model.h"
#include "order/step.h"
#include "predict/engine.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#include "deadlocks_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- reading it ---- */

struct subject {
	const char *text;
	char path[40];
	int fd;
	struct trace *trace;
	struct evidence *evidence;
	struct checker *checker;
	struct model *model;
	struct engine_run *run;
};

__attribute__((noreturn, format(printf, 2, 3))) static void broken(const struct subject *s,
								   const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s", s->text);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

static struct trace *open_again(const struct subject *s)
{
	struct trace_options how = { .lenient = true };
	struct diag d = { { 0 } };
	struct trace *t;

	if (trace_open(s->path, &how, &t, &d) != ST_OK)
		broken(s, "not even lenient: %s", d.message);
	return t;
}

/* Past goodlock, which takes steps. */
static struct model *model_read(const struct subject *s, bool values)
{
	struct step_options how = { .values = values };
	struct model_options shape = { .values = values };
	struct model *m = model_new(&shape);
	struct trace *t = open_again(s);
	struct steps *steps = steps_new(t, &how);
	struct engine_options plain = { .jobs = 1 };
	void *goodlock = engine_goodlock.begin(&engine_goodlock, &plain);
	struct engine_result trees = { 0 };
	struct diag d = { { 0 } };
	struct step_batch b;
	enum status st;

	while ((st = steps_next(steps, &b, &d)) == ST_OK) {
		engine_goodlock.steps(goodlock, &b);
		model_take(m, &b);
	}
	if (st != ST_END)
		broken(s, "not even lenient: %s", d.message);
	engine_goodlock.end(goodlock, &trees);
	engine_result_release(&trees);
	steps_free(steps);
	trace_close(t);
	model_finish(m);
	return m;
}

static void subject_open(struct subject *s, const struct strbuf *text, bool values)
{
	struct evidence_options opt = { .values = values };
	struct diag d = { { 0 } };

	s->text = text->at;
	s->fd = memfd_create("fuzz", 0);
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
	if (s->fd < 0 || write(s->fd, text->at, text->n) != (ssize_t)text->n)
		broken(s, "no file");
	s->trace = open_again(s);
	if (evidence_load(s->trace, &opt, &s->evidence, &d) != ST_OK)
		broken(s, "no evidence: %s", d.message);
	s->checker = checker_new(s->evidence);
	s->model = model_read(s, values);
	s->run = engine_run_new(s->model);
}

static void subject_close(struct subject *s)
{
	engine_run_free(s->run);
	model_free(s->model);
	checker_free(s->checker);
	evidence_free(s->evidence);
	trace_close(s->trace);
	close(s->fd);
}

/* ---- what engines say ---- */

#define BUDGET 20000 /* steps for one candidate */

static void engine_ask(const struct subject *s, const struct engine *e,
		       const struct engine_options *opt, struct engine_result *out)
{
	clock_t start = clock();

	memset(out, 0, sizeof(*out));
	e->search(e, s->run, opt, out);
	if (clock() - start > CLOCKS_PER_SEC)
		broken(s, "%s takes more than a second", e->name);
}

/* The checker on a claim; doubtful ones are certified too. */
static void claim_check(const struct subject *s, const struct finding *f, bool strict, bool values)
{
	struct check_order order = { 0 };
	struct check_verdict v;

	if (!check_expand(s->evidence, &f->schedule, &order))
		broken(s, "%s: a schedule of events that do not exist", f->engine->name);
	checker_run(s->checker,
		    &(struct check_claim){ .kind = f->kind,
					   .targets = f->events,
					   .ntargets = f->nevents,
					   .order = order.at.at,
					   .norder = order.at.n,
					   .strict = strict,
					   .values = values },
		    &v);
	if (!v.certified)
		broken(s, "%s (%s%s): %s of %" PRIu64 ", %" PRIu64 ".. refused: %s",
		       f->engine->name, strict ? "strict" : "dep", values ? ", values" : "",
		       finding_kind_name(f->kind), f->events[0], f->events[1], v.what);
	check_verdict_release(&v);
	VEC_RELEASE(&order.at);
}

static void claims_check(const struct subject *s, const struct findings *f,
			 const struct engine_options *opt)
{
	for (size_t i = 0; i < f->at.n; i++) {
		const struct finding *x = &f->at.at[i];

		if (!x->claimed)
			continue;
		claim_check(s, x, opt->strict, opt->values);
		claim_check(s, x, false, opt->values);
	}
}

static bool has_place(const struct finding *f, uint32_t site)
{
	for (uint32_t i = 0; i < f->nevents; i++)
		if (f->sites[i] == site)
			return true;
	return false;
}

static bool has_event(const struct finding *f, uint64_t pos)
{
	for (uint32_t i = 0; i < f->nevents; i++)
		if (f->events[i] == pos)
			return true;
	return false;
}

/* By places: a shorter circle over the same ones stands for the longer.  A thread that waits for
 * itself is told once, if it waits for others too: with those. */
static bool same(const struct finding *f, const struct finding *g, bool by_place)
{
	bool is = f->kind == g->kind;

	if (f->nevents == 1)
		return has_event(g, f->events[0]);
	if (!by_place)
		return is && f->nevents == g->nevents &&
		       memcmp(f->events, g->events, f->nevents * sizeof(f->events[0])) == 0;
	for (uint32_t i = 0; i < f->nevents; i++)
		is = is && has_place(g, f->sites[i]);
	for (uint32_t i = 0; i < g->nevents; i++)
		is = is && has_place(f, g->sites[i]);
	return is;
}

/* What `few' claims, or says at all, `many' does too, unless it ran out of something. */
static void contained(const struct subject *s, const struct engine_result *few,
		      const struct engine_result *many, bool by_place, bool claims)
{
	for (size_t i = 0; i < few->findings.at.n && !many->truncated.n; i++) {
		const struct finding *f = &few->findings.at.at[i];
		bool found = claims && !f->claimed;

		for (size_t k = 0; k < many->findings.at.n && !found; k++) {
			const struct finding *g = &many->findings.at.at[k];

			found = same(f, g, by_place) && (g->claimed || !claims);
		}
		if (!found)
			broken(s, "%s of %" PRIu64 ", %" PRIu64 ".. of %s is lost to %s",
			       finding_kind_name(f->kind), f->events[0], f->events[1],
			       f->engine->name,
			       many->findings.at.n ? many->findings.at.at[0].engine->name : "all");
	}
}

/* ---- all of it ---- */

/* The sound ones, each in both models. */
static void try_sound(const struct subject *s, const struct engine_options *how)
{
	static const struct engine *const engines[] = { &engine_spd, &engine_waits,
							&engine_deadlocks };
	struct engine_result r[3][2];

	for (int i = 0; i < 3; i++) {
		for (int strict = 0; strict < 2; strict++) {
			struct engine_options opt = *how;

			opt.strict = strict;
			engine_ask(s, engines[i], &opt, &r[i][strict]);
			claims_check(s, &r[i][strict].findings, &opt);
		}
		contained(s, &r[i][1], &r[i][0], !how->all_pairs, true);
	}
	for (int strict = 0; strict < 2; strict++) {
		contained(s, &r[0][strict], &r[2][strict], !how->all_pairs, true);
		contained(s, &r[1][strict], &r[2][strict], !how->all_pairs, true);
	}
	for (int i = 0; i < 6; i++)
		engine_result_release(&r[i / 2][i % 2]);
}

/* From the narrow to the wide; spd is the narrowest. */
static void try_patterns(const struct subject *s, const struct engine_options *how)
{
	static const struct engine *const engines[] = { &engine_spd, &engine_patterns,
							&engine_patterns_mhb,
							&engine_patterns_all };
	struct engine_result r[4];

	for (int i = 0; i < 4; i++)
		engine_ask(s, engines[i], how, &r[i]);
	for (int i = 0; i < 3; i++)
		contained(s, &r[i], &r[i + 1], !how->all_pairs, false);
	for (int i = 0; i < 4; i++)
		engine_result_release(&r[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct engine_options how = { .budget = BUDGET, .jobs = 1 };
	struct subject s;
	struct machine m;

	if (size < 3)
		return 0;
	run_make(&m, data, size);
	how.values = m.values;
	how.all_pairs = data[0] & 32;
	subject_open(&s, &m.text, m.values);
	try_sound(&s, &how);
	try_patterns(&s, &how);
	subject_close(&s);
	strbuf_release(&m.text);
	return 0;
}
