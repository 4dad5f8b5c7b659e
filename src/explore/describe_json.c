#include "explore/describe.h"

#include "report/frames.h"
#include "report/json.h"

static void op_json(const struct explore_failure *f, const struct baton_op *op, struct json *j)
{
	struct trace_site p = { 0 };
	STRBUF_SCOPED object = { 0 };

	describe_object(f, op, &object);
	json_string(j, "op", describe_op(op));
	json_string(j, "object", object.n ? strbuf_str(&object) : NULL);
	if (f->trace && op->site)
		frames_own(f->trace, op->site, 0, &p);
	json_string(j, "file", p.file);
	json_number(j, "line", p.line);
	json_string(j, "function", p.function);
}

static void thread_json(const struct explore_failure *f, uint32_t thread, struct json *j)
{
	STRBUF_SCOPED name = { 0 };

	describe_thread(f, thread, &name);
	json_string(j, "thread", strbuf_str(&name));
}

static void place_json(const struct explore_failure *f, const char *key, uint32_t thread,
		       uint32_t site, struct json *j)
{
	struct trace_site p = { 0 };

	json_open(j, key, '{');
	thread_json(f, thread, j);
	if (f->trace && site)
		frames_own(f->trace, site, 0, &p);
	json_string(j, "file", p.file);
	json_number(j, "line", p.line);
	json_string(j, "function", p.function);
	json_close(j, '}');
}

static void freed_json(const struct explore_failure *f, struct json *j)
{
	json_open(j, "fault", '{');
	json_string(j, "kind", describe_fault(&f->fault));
	json_number(j, "size", f->fault.size);
	json_number(j, "offset", f->fault.at - f->fault.block);
	json_number(j, "block", f->fault.block_size);
	place_json(f, "at", f->fault.thread, f->fault.site, j);
	place_json(f, "freed", f->fault.freed_thread, f->fault.freed_site, j);
	json_close(j, '}');
}

static void property_json(const struct explore_failure *f, struct json *j)
{
	json_open(j, "property", '{');
	json_string(j, "name", f->property.name);
	json_bool(j, "error", f->property.is_error);
	json_string(j, "values", f->property.values);
	if (f->property.thread != UINT32_MAX)
		place_json(f, "at", f->property.thread, f->property.site, j);
	json_close(j, '}');
}

static void failure_json(const struct explore_failure *f, struct json *j)
{
	STRBUF_SCOPED outcome = { 0 };

	describe_outcome(f, &outcome);
	json_open(j, NULL, '{');
	json_string(j, "outcome", strbuf_str(&outcome));
	json_string(j, "status", f->again ? "replayed" : "seen");
	json_string(j, "strategy", f->found ? f->found->strategy : NULL);
	json_number(j, "run", f->found ? f->found->run : 0);
	json_number(j, "preemptions", f->preemptions);
	json_string(j, "schedule", f->schedule);
	json_string(j, "oracle", f->said);
	if (f->verdict.fault == EXPLORE_FREED)
		freed_json(f, j);
	if (f->verdict.fault == EXPLORE_PROPERTY)
		property_json(f, j);
	json_open(j, "steps", '[');
	for (size_t i = 0; i < f->steps.n; i++) {
		json_open(j, NULL, '{');
		thread_json(f, f->steps.at[i].choice.thread, j);
		op_json(f, &f->steps.at[i].op, j);
		json_number(j, "choice", f->steps.at[i].choice.branch);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "pending", '[');
	for (uint32_t i = 0; i < f->pending.n; i++) {
		if (f->pending.at[i].kind == BATON_NONE)
			continue;
		json_open(j, NULL, '{');
		thread_json(f, i, j);
		op_json(f, &f->pending.at[i], j);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void aim_json(const struct aims *all, const struct aim *a, struct json *j)
{
	json_open(j, NULL, '{');
	json_string(j, "kind", finding_kind_name(a->kind));
	json_string(j, "status", finding_status_name(a->status));
	json_string(j, "title", a->title);
	json_number(j, "run", a->run);
	json_open(j, "window", '[');
	for (uint32_t tid = 1; tid <= all->nthreads; tid++)
		if (window_has(&a->window, tid))
			json_number(j, NULL, tid);
	json_close(j, ']');
	json_bool(j, "forced", a->is_forced);
	json_bool(j, "tried", a->is_tried);
	json_bool(j, "complete", a->is_tried && a->end == SEARCH_WHOLE);
	json_number(j, "runs", a->runs);
	json_close(j, '}');
}

void describe_json(const struct explore_result *r, FILE *to)
{
	const struct search *s = &r->search;
	struct json j = { .to = to };

	json_open(&j, NULL, '{');
	json_number(&j, "foresee", 1);
	json_open(&j, "explored", '{');
	json_number(&j, "runs", s->runs);
	json_real(&j, "seconds", r->seconds);
	json_bool(&j, "complete", r->complete);
	json_bool(&j, "awaited", r->awaited);
	json_bool(&j, "unjudged", r->unjudged);
	json_bool(&j, "stopped", r->stopped);
	json_bool(&j, "late", r->late);
	json_bool(&j, "forked", r->forked);
	json_bool(&j, "files", r->outside & BATON_OUTSIDE_FILES);
	json_bool(&j, "sockets", r->outside & BATON_OUTSIDE_SOCKETS);
	json_bool(&j, "input", r->outside & BATON_OUTSIDE_INPUT);
	json_bool(&j, "sandbox", r->sandbox);
	json_bool(&j, "unlike", r->unlike);
	json_number(&j, "blocked", s->outcomes[BATON_BLOCKED]);
	json_number(&j, "too_long", s->outcomes[BATON_TOO_LONG]);
	json_number(&j, "outside", s->outcomes[BATON_OUTSIDE]);
	json_number(&j, "still", s->outcomes[BATON_STILL]);
	json_number(&j, "classes", r->traces);
	json_number(&j, "bound", r->bound);
	json_number(&j, "threads", s->threads);
	json_number(&j, "steps", s->longest);
	json_close(&j, '}');
	json_open(&j, "warnings", '[');
	for (size_t i = 0; i < r->aims.at.n; i++)
		aim_json(&r->aims, &r->aims.at.at[i], &j);
	json_close(&j, ']');
	json_open(&j, "failures", '[');
	for (size_t i = 0; i < r->failures.n; i++)
		failure_json(&r->failures.at[i], &j);
	json_close(&j, ']');
	json_close(&j, '}');
	putc('\n', to);
}
