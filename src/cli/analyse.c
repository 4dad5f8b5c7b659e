#include "cli/analyse.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/certify.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/program.h"
#include "cli/prove.h"
#include "cli/spool.h"
#include "cli/talk.h"
#include "finding/suppress.h"
#include "order/model.h"
#include "order/step.h"
#include "report/explain.h"
#include "report/findings_json.h"
#include "report/report.h"
#include "report/stuck.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/evidence.h"

#define MODEL_EVENT_BYTES 200 /* measured: about 150 with all clocks and the evidence */

/* Set by the first Ctrl-C; the second one ends us. */
static volatile sig_atomic_t stopped;
static const char *stop_message; /* or NULL; set before the handler can run */

static void stop(int number)
{
	int error = errno;

	(void)number;
	stopped = 1;
	if (stop_message && write(STDERR_FILENO, stop_message, strlen(stop_message)) < 0)
		stop_message = NULL;
	errno = error;
}

/* For as long as a trace is analysed. */
static void stop_begin(bool quiet, struct sigaction *old)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND | SA_RESTART };

	stopped = 0;
	stop_message = quiet ? NULL
			     : "\nforesee: stopping; what is known by now comes next, Ctrl-C again "
			       "ends at once\n";
	sigaction(SIGINT, NULL, old);
	if (old->sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
}

struct job {
	const struct engine *engine;
	void *self; /* streaming engines, while the trace is read */
};

/* One trace on its way through. */
struct pass {
	struct analyse *a;
	struct job jobs[ANALYSE_ENGINES];
	struct report_analysis analyses[ANALYSE_ENGINES];
	bool needs_model, limited;
	struct trace *trace;
	struct model *model;
	VEC(char) seen; /* [tid] */
	struct findings findings;
	VEC(char *) truncated;
	struct talk_progress progress;
	struct report report;
};

__attribute__((format(printf, 2, 3))) static void truncated(struct pass *p, const char *format, ...)
{
	char *words = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&words, format, ap) < 0)
		BUG("out of memory for a message");
	va_end(ap);
	*VEC_PUSH(&p->truncated) = words;
}

/* Adds the time since *then to *sum, and moves *then on. */
static void lap(double *then, double *sum)
{
	double now = talk_clock();

	*sum += now - *then;
	*then = now;
}

static void show_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
	talk_progress_of(arg, what, done, total);
}

/* ---- pass 1 ---- */

static void pass_init(struct pass *p, struct analyse *a, const char *path)
{
	memset(p, 0, sizeof(*p));
	p->a = a;
	p->report.path = path;
	a->engine.stop = &stopped;
	a->engine.progress = show_progress;
	a->engine.progress_arg = &p->progress;
	for (size_t i = 0; i < a->nengines; i++) {
		p->jobs[i].engine = a->engines[i];
		p->analyses[i].name = a->engines[i]->name;
		p->needs_model |= a->engines[i]->needs_model;
	}
}

static void pass_release(struct pass *p)
{
	findings_release(&p->findings);
	for (size_t i = 0; i < p->truncated.n; i++)
		free(p->truncated.at[i]);
	VEC_RELEASE(&p->truncated);
	VEC_RELEASE(&p->seen);
	if (p->model)
		model_free(p->model);
	if (p->trace)
		trace_close(p->trace);
}

static void count_threads(struct pass *p, const struct step_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		uint32_t tid = b->at[i].tid;

		if (b->at[i].op >= STEP_SPLIT)
			continue; /* not an event */
		VEC_REACH(&p->seen, tid);
		p->report.threads += !p->seen.at[tid];
		p->seen.at[tid] = 1;
		if (b->at[i].pos > p->report.events)
			p->report.events = b->at[i].pos;
	}
}

static void take_batch(struct pass *p, const struct step_batch *b, double *then)
{
	for (size_t i = 0; i < p->a->nengines; i++) {
		struct job *j = &p->jobs[i];

		if (!j->self)
			continue;
		j->engine->steps(j->self, b);
		lap(then, &p->analyses[i].seconds);
	}
	if (p->model && !p->limited) {
		p->limited = !model_take(p->model, b);
		lap(then, &p->report.modelling);
	}
}

static enum status read_steps(struct pass *p, struct steps *s, struct diag *d)
{
	double then = talk_clock();
	struct step_batch b;
	enum status st = ST_END;

	while (!stopped && (st = steps_next(s, &b, d)) == ST_OK) {
		count_threads(p, &b);
		lap(&then, &p->report.reading);
		take_batch(p, &b, &then);
		talk_progress_of(&p->progress, "event", p->report.events, 0);
	}
	p->report.locks = steps_lock_count(s);
	p->report.variables = steps_cell_count(s);
	return stopped ? ST_END : st;
}

/* How many events fit, model, clocks and the checker's evidence together, in three quarters of the
 * memory that is free now.  FORESEE_MEMORY (MiB) says otherwise. */
static uint32_t model_limit(void)
{
	const char *given = getenv("FORESEE_MEMORY");
	uint64_t kib = given ? strtoull(given, NULL, 10) * 1024 : 0;
	char line[100];
	FILE *f = kib ? NULL : fopen("/proc/meminfo", "re");
	uint64_t n;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1) {
			kib -= kib / 4;
			break;
		}
	if (f)
		fclose(f);
	n = kib * 1024 / MODEL_EVENT_BYTES;
	return n == 0 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

static enum status read_trace(struct pass *p, struct diag *d)
{
	struct step_options how = { .values = p->a->engine.values && p->needs_model,
				    .recycle = !p->needs_model };
	struct model_options shape = { .values = p->a->engine.values, .limit = model_limit() };
	struct steps *s = steps_new(p->trace, &how);
	enum status st;

	if (p->needs_model)
		p->model = model_new(&shape);
	for (size_t i = 0; i < p->a->nengines; i++)
		if (!p->jobs[i].engine->needs_model)
			p->jobs[i].self = p->jobs[i].engine->begin(&p->a->engine);
	st = read_steps(p, s, d);
	steps_free(s);
	if (stopped)
		truncated(p, "interrupted after event %" PRIu64, p->report.events);
	if (p->limited)
		truncated(p,
			  "only the first %" PRIu32 " events fit in memory; later ones were not "
			  "looked at (FORESEE_MEMORY=MIB sets how much may be used)",
			  p->model->n);
	return st;
}

/* ---- proposals ---- */

static void collect(struct pass *p, size_t i, struct engine_result *r)
{
	struct report_analysis *a = &p->analyses[i];

	a->findings = r->findings.at.n;
	a->complete = r->truncated.n == 0 && !stopped && !p->limited;
	a->counted = r->counted;
	a->counts = r->counts;
	for (size_t k = 0; k < r->truncated.n; k++)
		truncated(p, "%s", r->truncated.at[k]);
	findings_move(&p->findings, &r->findings);
	engine_result_release(r);
}

static void end_engine(struct pass *p, size_t i, struct engine_run *run)
{
	struct job *j = &p->jobs[i];
	struct engine_result r = { 0 };
	double then = talk_clock();

	if (j->engine->needs_model && run)
		j->self = j->engine->begin(&p->a->engine);
	if (j->self)
		j->engine->end(j->self, j->engine->needs_model ? run : NULL, &r);
	j->self = NULL;
	lap(&then, &p->analyses[i].seconds);
	collect(p, i, &r);
}

static void end_engines(struct pass *p)
{
	struct engine_run *run = NULL;
	double then = talk_clock();

	/* Ctrl-C while the trace was read: nobody waits for a model of the part of it. */
	if (p->model && !stopped) {
		model_finish(p->model);
		run = engine_run_new(p->model);
		lap(&then, &p->report.modelling);
	}
	for (size_t i = 0; i < p->a->nengines; i++)
		end_engine(p, i, run);
	if (run)
		engine_run_free(run);
}

/* Engines free themselves when they end; what they say then is not wanted. */
static void drop_engines(struct pass *p)
{
	for (size_t i = 0; i < p->a->nengines; i++) {
		struct engine_result r = { 0 };

		if (!p->jobs[i].self)
			continue;
		p->jobs[i].engine->end(p->jobs[i].self, NULL, &r);
		engine_result_release(&r);
	}
}

/* ---- pass 2 and the report ---- */

static bool is_wanted(void *arg, const struct finding *f)
{
	struct pass *p = arg;
	struct suppress_names names = { 0 };
	struct strbuf subject = { 0 };
	bool hidden;

	words_subject(p->report.evidence, f, &subject);
	words_names(p->report.evidence, f, strbuf_str(&subject), &names);
	hidden = suppress_match(p->a->suppress, f->kind, &names);
	words_names_release(&names);
	strbuf_release(&subject);
	p->report.suppressed += hidden;
	return !hidden;
}

static void settle(struct pass *p)
{
	bool all = p->a->engine.all_pairs;

	findings_settle(&p->findings, all);
	if (!p->a->suppress)
		return;
	suppress_begin(p->a->suppress);
	findings_keep(&p->findings, is_wanted, p);
	findings_settle(&p->findings, all);
}

static enum status certify(struct pass *p, struct certify *c, struct diag *d)
{
	enum status st;

	if (p->findings.at.n == 0)
		return ST_OK;
	st = certify_load(c, &p->findings, d);
	if (st != ST_OK)
		return st;
	certify_findings(c, &p->findings);
	if (c->skipped)
		truncated(p, "the budget of the checker: %" PRIu64 " findings not certified",
			  c->skipped);
	if (c->refused)
		truncated(p, "internal error: %" PRIu32 " schedules refused by the checker",
			  c->refused);
	p->report.evidence = c->evidence;
	settle(p);
	return ST_OK;
}

static void talk_times(const struct pass *p)
{
	const struct report *r = &p->report;

	talk_note("%s: %" PRIu64 " events; reading %.3f s, model %.3f s", r->path, r->events,
		  r->reading, r->modelling);
	for (size_t i = 0; i < r->nanalyses; i++)
		talk_more("%-12s %.3f s", r->analyses[i].name, r->analyses[i].seconds);
}

/* A run that did not end as it should, and nothing that explains it. */
static void look_for_stuck(const struct pass *p, const struct certify *c, struct strbuf *out)
{
	struct trace_options how = { .lenient = p->a->lenient };
	struct trace_info info;
	struct diag d = { 0 };
	struct trace *t;

	trace_info(p->trace, &info);
	if (info.complete || p->findings.at.n || trace_open(c->path, &how, &t, &d) != ST_OK)
		return;
	stuck_format(t, out);
	trace_close(t);
}

static void explain(const struct pass *p)
{
	struct explain_options how = {
		.color = talk_is_colored(p->a->to),
		.all = p->a->verbose,
		.hints = !p->a->quiet,
		.width = talk_width(p->a->to),
	};

	explain_print(&p->report, &how, p->a->to);
}

static int print(struct pass *p, const struct certify *c)
{
	struct report *r = &p->report;
	struct strbuf stuck = { 0 };

	look_for_stuck(p, c, &stuck);
	r->stuck = stuck.n ? stuck.at : NULL;
	r->analyses = p->analyses;
	r->nanalyses = p->a->nengines;
	r->findings = &p->findings;
	r->truncated = p->truncated.at;
	r->ntruncated = p->truncated.n;
	r->suppress = p->a->suppress;
	r->witness_dir = p->a->witness_dir;
	if (p->a->json)
		findings_json_print(r, p->a->to);
	else
		explain(p);
	strbuf_release(&stuck);
	r->stuck = NULL;
	if (p->a->verbose)
		talk_times(p);
	if (p->a->witness_dir && c->evidence && !certify_write(c, &p->findings))
		return EXIT_TROUBLE;
	if (c->refused)
		return EXIT_TROUBLE;
	if (p->findings.at.n)
		return EXIT_FOUND;
	return p->truncated.n ? EXIT_LIMIT : EXIT_FINE;
}

/* Both passes; ST_OK when there is something to report. */
static enum status both_passes(struct pass *p, struct certify *c, struct diag *d)
{
	struct trace_options how = { .lenient = p->a->lenient };
	enum status st = trace_open(c->path, &how, &p->trace, d);

	if (st != ST_OK)
		return st;
	p->report.trace = p->trace;
	talk_progress_begin(&p->progress, p->report.path, p->a->quiet);
	st = read_trace(p, d);
	if (st == ST_END) {
		end_engines(p);
		st = prove_findings(p->a, c->path, p->model, &p->findings, d);
		if (st == ST_OK)
			st = certify(p, c, d);
	} else {
		drop_engines(p);
	}
	talk_progress_end(&p->progress);
	return st;
}

static int analyse_file(struct pass *p, const struct spool *file)
{
	struct input in = { .quiet = p->a->quiet };
	struct certify c = { .a = p->a, .path = file->path };
	struct diag d = { 0 };
	int status = EXIT_TROUBLE;

	p->report.passing = file->fd >= 0;
	if (both_passes(p, &c, &d) == ST_OK) {
		input_notes(p->trace, &in);
		status = print(p, &c);
	} else {
		spool_mend(file, &d);
		talk_error("%s", d.message);
		if (program_is_source(file->given) && access(file->given, R_OK) == 0)
			talk_more("for source: 'foresee run %s'", file->given);
	}
	certify_release(&c);
	return status;
}

int analyse_trace(struct analyse *a, const char *path)
{
	struct sigaction old;
	struct spool spool;
	struct pass p;
	int status = EXIT_TROUBLE;

	if (!spool_open(&spool, path))
		return EXIT_TROUBLE;
	stop_begin(a->quiet, &old);
	pass_init(&p, a, path);
	status = analyse_file(&p, &spool);
	pass_release(&p);
	sigaction(SIGINT, &old, NULL);
	spool_close(&spool);
	return status;
}
