#include "cli/command.h"
#include "cli/input.h"
#include "monitor/monitor.h"
#include "monitor/reading.h"
#include "report/show.h"
#include "spec/spec.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/selfcheck.h"
#include "witness/view.h"
#include "witness/witness.h"

#define MONITOR 1

struct verify {
	struct input in;
	bool strict, values;
	const char *spec;
	VEC(const char *) plugins;
};

#define AT(member) OPTION_AT(struct verify, member)
static const struct option_def verify_options[] = {
	{ AT(strict), 0, "strict", NULL,
	  "every read must see its write, whatever the witness says" },
	{ AT(values), 0, "values", NULL, "a read may see any write of the same value" },
	{ AT(spec), 's', "spec", "FILE", "properties: this spec, not the one in the witness" },
	{ .id = MONITOR,
	  0,
	  "monitor",
	  "FILE.so",
	  "properties: a plug-in's, too; may be given again" },
	INPUT_OPTIONS,
	{ 0 },
};

/* What checks a property. */
struct watcher {
	struct spec *spec;
	struct monitors monitors;
	struct view view;
};

/* "T1 write, a.c:10 in f" */
static void event_show(const struct evidence *ev, uint64_t pos, struct strbuf *out)
{
	size_t before;
	struct evidence_event e = evidence_get(ev, pos);

	strbuf_addf(out, "%s %s", trace_thread_name(evidence_trace(ev), e.tid), show_op(e.op));
	if (e.name)
		strbuf_addf(out, " %s", e.name);
	else if (e.peer != 0)
		strbuf_addf(out, " %s", trace_thread_name(evidence_trace(ev), e.peer));
	before = out->n;
	strbuf_adds(out, " at ");
	show_location(evidence_trace(ev), e.site, out);
	if (out->n == before + 4) {
		out->n = before;
		out->at[before] = 0;
	}
}

static void numbers_print(const char *title, const uint64_t *at, size_t n)
{
	if (n == 0)
		return;
	printf("%s", title);
	for (size_t i = 0; i < n && i < 20; i++)
		printf(" %" PRIu64, at[i]);
	printf(n > 20 ? " ... (%zu)\n" : "\n", n);
}

/* "property land violated at event 12 of the recorded run: T1 write at a.c:10" */
static void property_show(const struct evidence *ev, const struct witness *w, bool observed,
			  struct strbuf *out)
{
	strbuf_addf(out, "property %s %s ", w->property,
		    w->kind == FINDING_PROPERTY ? "violated" : "without a value");
	if (w->targets.n == 0) {
		strbuf_adds(out, "in the initial state");
		return;
	}
	strbuf_addf(out, "at event %" PRIu64 "%s: ", w->targets.at[0],
		    observed ? " of the recorded run" : "");
	event_show(ev, w->targets.at[0], out);
}

/* "deadlock of events 3, 8 and 12: T1 lock m at a.c:10, T2 ..." */
static void targets_show(const struct evidence *ev, const struct witness *w, bool observed,
			 struct strbuf *out)
{
	size_t n = w->targets.n;

	if (w->property) {
		property_show(ev, w, observed, out);
		return;
	}
	strbuf_addf(out, "%s of events", finding_kind_name(w->kind));
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%s %" PRIu64,
			    i == 0	? ""
			    : i + 1 < n ? ","
					: " and",
			    w->targets.at[i]);
	for (size_t i = 0; i < n; i++) {
		strbuf_adds(out, i ? ", " : ": ");
		event_show(ev, w->targets.at[i], out);
	}
}

/* A trace that leaves accesses out proves less. */
static void gaps_print(struct trace *t)
{
	struct trace_info info = trace_info(t);

	if (!info.partial)
		return;
	printf("%s: this run is possible only as far as the recorded events go\n",
	       info.locks_only ? "accesses were not recorded (--locks-only)"
			       : "some accesses were not recorded (--only, --ignore)");
}

static int verdict_print(const struct evidence *ev, const struct witness *w,
			 const struct check_verdict *v)
{
	struct strbuf text = { 0 };

	if (!v->certified || v->doubtful) {
		printf("not certified: %s\n", v->what);
		return EXIT_FOUND;
	}
	targets_show(ev, w, v->observed, &text);
	printf("certified: %s\n", strbuf_str(&text));
	strbuf_release(&text);
	numbers_print("reads that see another write:", v->stray.at, v->stray.n);
	numbers_print("free reads whose value may differ (model dep):", v->tainted.at,
		      v->tainted.n);
	gaps_print(evidence_trace(ev));
	return EXIT_FINE;
}

/* ---- properties ---- */

static void watcher_event(void *arg, struct trace *t, const struct event *e)
{
	struct watcher *p = arg;

	view_see(&p->view, t, e);
}

/* None: monitors_read finds it. */
static enum status spec_get(const struct verify *v, const char *path, const struct witness *w,
			    struct spec **out, struct diag *d)
{
	struct strbuf name = { 0 };
	enum status st;

	if (!v->spec && w->spec.n == 0 && v->plugins.n == 0)
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is about the property '%s' and has no spec: give it with -s FILE",
			path, w->property);
	if (v->spec || w->spec.n == 0)
		return ST_OK;
	strbuf_addf(&name, "%s (spec)", path);
	st = spec_parse(strbuf_str(&name), w->spec.at, w->spec.n, out, d);
	strbuf_release(&name);
	return st;
}

static const struct monitor *property_of(const struct watcher *p, const char *name)
{
	for (uint32_t i = 0; i < p->monitors.n; i++)
		if (strcmp(p->monitors.at[i].name, name) == 0)
			return &p->monitors.at[i];
	return NULL;
}

/* One about knowledge has no monitor: the checker judges it by the spec itself. */
static const struct spec_property *knowledge_of(const struct watcher *p, const char *name)
{
	int i = p->spec ? spec_find(p->spec, SPEC_USE_PROPERTY, name) : -1;

	return i >= 0 && p->spec->properties[i].body == SPEC_MTTL ? &p->spec->properties[i] : NULL;
}

static enum status monitors_get(const struct verify *v, const char *path, const struct witness *w,
				struct watcher *out, struct diag *d)
{
	enum status st = spec_get(v, path, w, &out->spec, d);

	if (st == ST_OK)
		st = monitors_read(v->spec, v->plugins.at, v->plugins.n, &out->spec, &out->monitors,
				   d);
	if (st == ST_OK && !property_of(out, w->property) && !knowledge_of(out, w->property)) {
		diag_set(
			d,
			"there is no property '%.100s' in %s: -s FILE gives another spec, --monitor "
			"FILE.so a plug-in",
			w->property, v->spec ? v->spec : "the witness's spec");
		st = ST_BAD_INPUT;
	}
	return st;
}

/* Before the trace is read. */
static enum status watcher_init(struct watcher *p, const struct verify *v, const char *path,
				const struct witness *w, struct trace *t,
				struct evidence_options *opt, struct diag *d)
{
	struct reading told;
	enum status st;

	if (!w->property)
		return ST_OK;
	st = monitors_get(v, path, w, p, d);
	if (st != ST_OK)
		return st;
	/* The checker binds by itself; what is wrong with a name is told better here. */
	st = reading_begin(&told, t, p->spec, d);
	reading_close(&told);
	view_bind(&p->view, p->spec, t);
	opt->each = watcher_event;
	opt->each_arg = p;
	return st;
}

static void watcher_release(struct watcher *p)
{
	view_release(&p->view);
	monitors_release(&p->monitors);
	spec_free(p->spec);
}

/* What was certified, lest a spec in the witness says something else than the reader thinks. */
static void formula_print(const struct watcher *p, const struct witness *w)
{
	struct strbuf text = { 0 };
	const struct monitor *m = property_of(p, w->property);
	const struct spec_property *y = m ? m->property : knowledge_of(p, w->property);

	if (y)
		spec_print_property(p->spec, y, &text);
	if (text.n)
		printf("%s%s", text.at, text.at[text.n - 1] == '\n' ? "" : "\n");
	strbuf_release(&text);
}

static int witness_check(const struct evidence *ev, const struct witness *w, const struct verify *v,
			 const struct watcher *p)
{
	struct check_claim claim = witness_claim(w);
	struct checker *c = checker_new(ev);
	struct check_verdict verdict;
	int status;

	claim.strict |= v->strict;
	claim.values |= v->values;
	if (w->property) {
		const struct monitor *m = property_of(p, w->property);

		claim.view = &p->view;
		claim.plugin = m ? monitor_plugin(m) : NULL;
	}
	checker_run(c, &claim, &verdict);
	status = verdict_print(ev, w, &verdict);
	if (status == EXIT_FINE && w->property)
		formula_print(p, w);
	check_verdict_release(&verdict);
	checker_free(c);
	return status;
}

/* The trace is read for the evidence, then the witness by it; but what a spec looks at must be known
 * before. */
static int files_check(struct trace *t, const char *path, const struct verify *v)
{
	struct evidence_options opt = { .digest = true, .values = true };
	struct witness head = { 0 }, w = { 0 };
	struct evidence *ev = NULL;
	struct strbuf text = { 0 };
	struct watcher p = { 0 };
	struct diag d = { 0 };
	int status = EXIT_TROUBLE;

	if (witness_head(path, &text, &head, &d) != ST_OK)
		goto bad;
	trace_mark_atomic(t, &head.atomic);
	if (watcher_init(&p, v, path, &head, t, &opt, &d) != ST_OK ||
	    evidence_load(t, &opt, &ev, &d) != ST_OK ||
	    witness_parse(strbuf_str(&text), text.n, path, ev, &w, &d) != ST_OK)
		goto bad;
	if (w.digest[0] && strcmp(w.digest, evidence_digest(ev)) != 0) {
		talk_error("'%s' is a witness for another trace", path);
		talk_more("it names   %s", w.digest);
		talk_more("this is    %s", evidence_digest(ev));
		goto out;
	}
	if (!v->in.quiet)
		show_notes(t);
	status = witness_check(ev, &w, v, &p);
	goto out;
bad:
	talk_error("%s", d.message);
out:
	witness_release(&w);
	witness_release(&head);
	strbuf_release(&text);
	evidence_free(ev);
	watcher_release(&p);
	return status;
}

static enum status check_itself(void *result, struct trace *t, struct diag *d)
{
	return selfcheck_run(t, result, d);
}

/* Holds every read against the writes before it. */
static int trace_check(const char *path, const struct input *in)
{
	struct selfcheck_result result;
	int status = input_read(path, in, check_itself, &result);

	if (status != EXIT_FINE)
		return status;
	if (result.contradiction) {
		printf("not consistent: %s\n", result.what);
		return EXIT_FOUND;
	}
	printf("consistent: %" PRIu64 " events, %" PRIu64 " reads checked, %" PRIu64 " unknown\n",
	       result.events, result.reads, result.unknown);
	return EXIT_FINE;
}

static bool take_plugin(void *verify, const struct option_parser *p, int id, const char *value)
{
	struct verify *v = verify;

	(void)p;
	(void)id;
	*VEC_PUSH(&v->plugins) = value;
	return true;
}

static int verify(const char *path, const char *witness, const struct verify *v)
{
	struct trace *t = input_open(path, &v->in);
	int status = t ? files_check(t, witness, v) : EXIT_TROUBLE;

	trace_close(t);
	return status;
}

static int verify_command(const struct command *c, int argc, char **argv)
{
	struct verify v = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &v, [OPTION_INPUT] = &v.in } };
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		;
	else if (p.noperands == 0)
		status = command_misuse(c, "no trace given");
	else if (p.noperands > 2)
		status = command_misuse(c, "more than a trace and a witness given");
	else if (p.noperands == 1)
		status = trace_check(p.operands[0], &v.in);
	else
		status = verify(p.operands[0], p.operands[1], &v);
	VEC_RELEASE(&v.plugins);
	return status;
}

const struct command cmd_verify = {
	.name = "verify",
	.usage = "[OPTIONS] TRACE [WITNESS]",
	.summary = "check a trace against itself, or a witness against its trace",
	.details =
		"With a trace alone: holds the value of every read against the writes before it, and every\n"
		"lock against its holders. Prints 'consistent: ...' and leaves with 0, or the first\n"
		"contradiction and leaves with 1.\n"
		"\n"
		"With a witness: checks that its order is a run that the trace proves possible and that\n"
		"leads to its race, deadlock, lost wakeup, or violation of a property. Prints 'certified: ...' and leaves with 0,\n"
		"or the first rule broken and leaves with 1. Shares no code with the analyses that\n"
		"write witnesses. Where accesses were not recorded (--locks-only, --only, --ignore) a\n"
		"witness is certified as far as the recorded events go, and that is said.\n"
		"\n"
		"The witness of a property holds its spec, and the monitors are run along the order\n"
		"anew. Whose spec counts is for you to say: -s takes yours. What was certified is\n"
		"printed with it.\n",
	.options = verify_options,
	.take = take_plugin,
	.run = verify_command,
};
