#include "analyse/pass.h"

#include "analyse/foretell.h"
#include "monitor/mttl.h"
#include "order/model.h"

#define HURRY_EVENTS 200000u

/* Of a thread. */
#define SEEN 1
#define SEEN_STOP 2

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

/* Whether a wait ends depends on signals that may still come, and whether memory was free on who has got
 * it; a circle of locks does not. */
bool pass_is_lasting(void *none, const struct finding *f)
{
	(void)none;
	return !finding_is_wait(f) && !finding_is_end(f) && !finding_is_stale(f);
}

bool pass_needs_model(const struct analyse *a)
{
	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i]->search)
			return true;
	return false;
}

void pass_init(struct pass *p, struct analyse *a, const char *path, const char *name)
{
	*p = (struct pass){
		.a = a,
		.certify = { .a = a,
			     .path = path,
			     .how = { .lenient = a->lenient,
				      .from_cut = a->from_cut,
				      .to_cut = a->to_cut,
				      .atomic = &a->atomic } },
		.needs_model = pass_needs_model(a),
		.report = { .path = name,
			    .lenient = a->lenient,
			    .ending = &p->ending,
			    .analyses = p->analyses,
			    .nanalyses = a->nengines,
			    .findings = &p->findings,
			    .suppress = a->suppress,
			    .properties = (a->engine.monitors ? a->engine.monitors->n : 0) +
					  mttl_count(a->spec) },
	};
	a->engine.progress = show_progress;
	a->engine.progress_arg = &p->progress;
	for (size_t i = 0; i < a->nengines; i++)
		p->analyses[i].engine = a->engines[i];
}

void pass_release(struct pass *p)
{
	certify_release(&p->certify);
	findings_release(&p->findings);
	texts_release(&p->truncated);
	VEC_RELEASE(&p->seen);
	ending_release(&p->ending);
	calls_release(&p->calls);
	p->a->engine.calls = NULL;
	stale_release(&p->stale);
	if (p->model)
		model_free(p->model);
	for (size_t i = 0; i < p->a->nengines; i++)
		if (p->analyses[i].lattice) {
			lattice_counts_release(p->analyses[i].lattice);
			mem_free(p->analyses[i].lattice);
		}
	p->a->engine.watch = NULL;
	p->a->engine.items = NULL;
	reading_close(&p->reading);
}

static void count_threads(struct pass *p, const struct step_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		uint32_t tid = b->at[i].tid;

		if (b->at[i].flags & STEP_STOP) {
			VEC_REACH(&p->seen, tid);
			p->report.stopped += !(p->seen.at[tid] & SEEN_STOP);
			p->seen.at[tid] |= SEEN_STOP;
		}
		if (b->at[i].op >= STEP_SPLIT)
			continue; /* not an event */
		VEC_REACH(&p->seen, tid);
		p->report.threads += !(p->seen.at[tid] & SEEN);
		p->seen.at[tid] |= SEEN;
		if (b->at[i].pos > p->report.events)
			p->report.events = b->at[i].pos;
	}
}

static void take_batch(struct pass *p, const struct step_batch *b, double *then)
{
	for (size_t i = 0; i < p->a->nengines; i++) {
		if (!p->streams[i])
			continue;
		p->a->engines[i]->steps(p->streams[i], b);
		lap(then, &p->analyses[i].seconds);
	}
	if (p->model && !p->limited) {
		p->limited = !model_take(p->model, b);
		lap(then, &p->report.modelling);
	}
}

/* There is little time, and something to look at in what is left of it.  One thread may have been alone
 * for a while. */
static bool is_enough(const struct pass *p)
{
	return p->a->enough && *p->a->enough == ANALYSE_ENOUGH &&
	       p->report.events >= (p->report.threads > 1 ? HURRY_EVENTS : 10 * HURRY_EVENTS);
}

static enum status read_steps(struct pass *p, struct diag *d)
{
	const struct steps *s = p->reading.steps;
	double then = talk_clock();
	struct steps_counts counts;
	struct step_batch b;
	enum status st = ST_END;

	while (!engine_stopped(&p->a->engine) && !(p->hurried = is_enough(p))) {
		st = reading_next(&p->reading, &b, d);
		if (st != ST_OK)
			break;
		count_threads(p, &b);
		lap(&then, &p->report.reading);
		take_batch(p, &b, &then);
		talk_progress_of(&p->progress, "event", p->report.events, 0);
	}
	if (p->a->enough)
		*p->a->enough = ANALYSE_READ;
	p->hurried |= p->a->shortened;
	counts = steps_counts(s);
	p->report.locks = counts.locks;
	p->report.variables = counts.variables;
	p->strange = counts.strange != 0;
	p->report.given = counts.given != 0;
	return engine_stopped(&p->a->engine) || p->hurried ? ST_END : st;
}

static void event_take(void *arg, struct trace *t, const struct event *e)
{
	struct pass *p = arg;

	ending_take(&p->ending, e);
	if (p->a->engine.infer && p->needs_model)
		calls_take(&p->calls, t, e);
	stale_take(&p->stale, e);
}

/* What is compared needs what was read and written. */
static bool wants_values(const struct pass *p)
{
	return p->needs_model && (p->a->engine.values ||
				  (!p->a->engine.strict && trace_info(p->reading.trace).tests));
}

static struct model *make_model(const struct pass *p)
{
	struct model_options shape = { .values = wants_values(p),
				       .limit = p->limit ? p->limit : analyse_limit(),
				       .stop = p->a->engine.stop };

	return model_new(&shape);
}

static enum status read_trace(struct pass *p, struct diag *d)
{
	struct step_options how = { .values = wants_values(p),
				    .recycle = !p->needs_model,
				    .see = event_take,
				    .see_arg = p };
	enum status st;

	reading_steps(&p->reading, &how);
	if (p->needs_model)
		p->model = make_model(p);
	p->calls.root = trace_info(p->reading.trace).form == TRACE_BINARY ? 1 : 0;
	for (size_t i = 0; i < p->a->nengines; i++) {
		const struct engine *e = p->a->engines[i];

		p->streams[i] = e->begin ? e->begin(e, &p->a->engine) : NULL;
	}
	st = read_steps(p, d);
	reading_end(&p->reading);
	p->partly_read = engine_stopped(&p->a->engine) || p->hurried;
	if (engine_stopped(&p->a->engine))
		texts_add(&p->truncated, "interrupted after event %" PRIu64, p->report.events);
	else if (p->hurried)
		texts_add(&p->truncated,
			  "stopped on request: there was time for the first %" PRIu64
			  " events; 'foresee check' looks at all of them",
			  p->report.events);
	if (p->limited)
		texts_add(&p->truncated,
			  "only the first %u events fit in memory; later ones were not "
			  "looked at (FORESEE_MEMORY=MIB sets how much may be used)",
			  p->model->n);
	return st;
}

/* ---- proposals ---- */

static void collect(struct pass *p, size_t i, struct engine_result *r)
{
	struct report_analysis *a = &p->analyses[i];

	a->findings = r->findings.at.n;
	a->complete =
		r->truncated.n == 0 && !engine_stopped(&p->a->engine) && !p->limited && !p->hurried;
	a->idle = r->idle && p->a->by_default;
	a->counted = r->counted;
	a->counts = r->counts;
	a->lattice = r->lattice;
	r->lattice = NULL;
	texts_move(&p->truncated, &r->truncated);
	findings_move(&p->findings, &r->findings);
	engine_result_release(r);
}

static void end_engine(struct pass *p, size_t i, struct engine_run *run)
{
	const struct engine *e = p->a->engines[i];
	struct engine_result r = { 0 };
	double then = talk_clock();

	if (e->search && run && !engine_stopped(&p->a->engine))
		e->search(e, run, &p->a->engine, &r);
	else if (p->streams[i])
		e->end(p->streams[i], &r);
	else
		r.idle = e->aim == ENGINE_BLOCKS; /* nobody knows whether there are any */
	p->streams[i] = NULL;
	lap(&then, &p->analyses[i].seconds);
	collect(p, i, &r);
}

static void end_engines(struct pass *p)
{
	struct engine_run *run = NULL;
	double then = talk_clock();

	/* Ctrl-C while the trace was read: nobody waits for a model of the part of it. */
	if (p->model && !engine_stopped(&p->a->engine)) {
		model_finish(p->model);
		run = engine_run_new(p->model);
		p->a->engine.calls = p->a->engine.infer ? &p->calls : NULL;
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

		if (p->streams[i])
			p->a->engines[i]->end(p->streams[i], &r);
		engine_result_release(&r);
	}
}

/* ---- pass 2 and the report ---- */

/* What the checker had no time for is not predicted, whatever the engine has counted. */
static void uncount(struct pass *p)
{
	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *f = &p->findings.at.at[i];

		for (size_t k = 0; k < p->a->nengines && f->why == certify_skipped; k++) {
			struct engine_counts *n = &p->analyses[k].counts;

			if (p->analyses[k].engine == f->engine && n->predicted > 0) {
				n->predicted--;
				n->undecided++;
			}
		}
	}
}

/* How the findings of engines that only try have ended.  One that another at the same places stands for
 * has ended as that one. */
static void count_tries(struct pass *p)
{
	struct map sure = { 0 };

	for (size_t i = 0; i < p->findings.at.n; i++)
		if (p->findings.at.at[i].certified)
			map_put(&sure, finding_signature(&p->findings.at.at[i]), NULL);
	for (size_t i = 0; i < p->findings.at.n; i++) {
		const struct finding *f = &p->findings.at.at[i];
		bool certified = map_get(&sure, finding_signature(f)) != NULL;

		for (size_t k = 0; k < p->a->nengines; k++)
			if (p->analyses[k].engine == f->engine && f->engine->proof == ENGINE_TRIES)
				engine_count(&p->analyses[k].counts, certified	  ? GOAL_FOUND
								     : f->refuted ? GOAL_REFUTED
										  : GOAL_UNDECIDED);
	}
	map_release(&sure);
}

/* Properties about knowledge are looked for in other runs: where the whole of this one is known, and is not too long. */
static bool may_foretell(const struct pass *p)
{
	const struct trace_options *how = &p->certify.how;

	return p->a->knowledge && !trace_info(p->reading.trace).late && how->to_cut == 0 &&
	       how->from_cut == 0 && !p->hurried && !how->follow && !p->limited &&
	       !engine_stopped(&p->a->engine);
}

static enum status certify(struct pass *p, struct diag *d)
{
	struct certify *c = &p->certify;
	double then = talk_clock();
	enum status st;

	c->whole = may_foretell(p);
	if (p->findings.at.n == 0 && !c->whole)
		return ST_OK;
	st = certify_load(c, &p->findings, d);
	if (st != ST_OK)
		return st;
	certify_findings(c, &p->findings);
	if (c->declined && prove_declined(p->a, p->model, &p->findings)) {
		certify_release(c); /* they may name later events */
		st = certify_load(c, &p->findings, d);
		if (st != ST_OK)
			return st;
		certify_claims(c, &p->findings);
	}
	if (c->whole && !foretell(c, p->limited ? NULL : p->model, &p->findings))
		texts_add(&p->truncated, "not all orders were tried in which properties about what "
					 "threads know (mttl) may be violated");
	lap(&then, &p->report.certifying);
	uncount(p);
	count_tries(p);
	if (c->skipped)
		texts_add(&p->truncated,
			  "the budget of the checker: %" PRIu64 " findings not certified",
			  c->skipped);
	if (c->refused)
		texts_add(&p->truncated, "internal error: %u schedules refused by the checker",
			  c->refused);
	p->report.evidence = c->evidence;
	p->report.watch = certify_watch(c);
	settle_findings(p);
	return ST_OK;
}

/* The engines that have a model, once more, on this one. */
static void search_again(struct pass *p)
{
	struct engine_run *run;

	model_finish(p->model);
	run = engine_run_new(p->model);
	for (size_t i = 0; i < p->a->nengines; i++) {
		const struct engine *e = p->a->engines[i];
		struct engine_result r = { 0 };

		if (!e->search)
			continue;
		e->search(e, run, &p->a->engine, &r);
		p->analyses[i].findings += r.findings.at.n;
		p->analyses[i].counts = r.counts;
		findings_move(&p->findings, &r.findings);
		engine_result_release(&r);
	}
	engine_run_free(run);
}

/*
 * Threads that have read what unseen code wrote were stopped there.  What may happen if they go on as
 * they did is worth a warning, which the checker will make of it.
 */
static enum status look_again(struct pass *p, struct diag *d)
{
	struct step_options how = { .values = wants_values(p), .trusting = true };
	struct reading again;
	enum status st;

	if (!p->strange || !p->needs_model || p->limited || p->a->engine.all_pairs || p->hurried ||
	    engine_stopped(&p->a->engine))
		return ST_OK;
	if (reading_again(&again, &p->reading, d) != ST_OK)
		return ST_OK;
	model_free(p->model);
	p->model = make_model(p);
	reading_steps(&again, &how);
	st = reading_model(&again, p->model, NULL, d);
	p->limited = st == ST_OK;
	if (st == ST_END)
		search_again(p);
	reading_close(&again);
	return st == ST_END ? ST_OK : st;
}

/* ---- knowledge ---- */

/* Of one property the first of each place is kept, or all. */
static void knowledge_add(void *arg, const struct mttl_violation *v)
{
	struct pass *p = arg;
	const struct spec *s = p->a->spec;
	STRBUF_SCOPED text = { 0 };
	struct finding *f;

	if (!v->begins)
		return;
	for (size_t i = p->findings.at.n; i > 0 && !p->a->engine.all_pairs; i--) {
		f = &p->findings.at.at[i - 1];
		if (f->judged && strcmp(f->property, v->property->name) == 0 &&
		    f->sites[0] == v->site) {
			f->more++;
			return;
		}
	}
	f = findings_add_property(&p->findings, FINDING_PROPERTY, &foretell_engine,
				  v->property->name);
	finding_add_event(f, v->pos, v->site, 0);
	f->observed = f->judged = true;
	spec_print_property(s, v->property, &text);
	strbuf_addf(&text, "\nat %s:%" PRIu32, s->path, v->property->spot.line);
	f->subject = texts_add(&p->findings.words, "%s", strbuf_str(&text));
}

/* A part of a run says little about what threads know: they may have known it before. */
static enum status judge_knowledge(struct pass *p, struct diag *d)
{
	const struct trace_options *how = &p->certify.how;

	if (!p->a->knowledge)
		return ST_OK;
	if (trace_info(p->reading.trace).late || how->to_cut || p->hurried || how->follow ||
	    engine_stopped(&p->a->engine)) {
		texts_add(&p->truncated,
			  "properties about what threads know (mttl) are judged on whole runs; of "
			  "this one a part was read, and they were not looked at");
		return ST_OK;
	}
	return mttl_judge(p->a->spec, p->certify.path, how, knowledge_add, p, d);
}

static enum status read_and_certify(struct pass *p, struct diag *d)
{
	enum status st = read_trace(p, d);

	if (st != ST_END) {
		drop_engines(p);
		return st;
	}
	end_engines(p);
	/* What has not come yet may end a wait. */
	if (p->hurried)
		findings_keep(&p->findings, pass_is_lasting, NULL);
	else if (!engine_stopped(&p->a->engine)) {
		ending_find(&p->ending, p->reading.trace, p->a->expected, &p->findings);
		stale_find(&p->stale, p->reading.trace, p->certify.how.to_cut == 0, &p->findings);
	}
	st = prove_findings(p->a, p->certify.path, &p->certify.how, p->model, &p->findings, d);
	if (st == ST_OK)
		st = look_again(p, d);
	if (st == ST_OK)
		st = judge_knowledge(p, d);
	return st == ST_OK ? certify(p, d) : st;
}

enum status pass_run(struct pass *p, struct diag *d)
{
	const struct monitors *m = p->a->engine.monitors;
	enum status st =
		reading_open(&p->reading, p->certify.path, &p->certify.how, m ? m->spec : NULL, d);

	if (st != ST_OK)
		return st;
	p->a->engine.watch = p->reading.watch;
	p->a->engine.items = reading_items(&p->reading);
	p->stale.text = trace_info(p->reading.trace).form != TRACE_BINARY;
	p->report.trace = p->reading.trace;
	p->report.from_cut = p->certify.how.from_cut;
	p->report.to_cut = p->certify.how.to_cut;
	talk_progress_begin(&p->progress, p->report.path, p->a->quiet);
	st = read_and_certify(p, d);
	if (engine_stopped(&p->a->engine) && !p->partly_read)
		texts_add(&p->truncated, "stopped before the search was over");
	talk_progress_end(&p->progress);
	p->report.truncated = p->truncated;
	return st;
}
