#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/talk.h"
#include "report/show.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"
#include "witness/witness.h"

#define STRICT 1
#define VALUES 2

static const struct option_def verify_options[] = {
	{ STRICT, 0, "strict", NULL, "every read must see its write, whatever the witness says" },
	{ VALUES, 0, "values", NULL, "a read may see any write of the same value" },
	INPUT_OPTIONS,
	{ 0 },
};

struct verify {
	struct input in;
	bool strict, values;
};

/* "T1 write, a.c:10 in f" */
static void event_show(const struct evidence *ev, uint64_t pos, struct strbuf *out)
{
	struct evidence_event e;
	size_t before;

	evidence_get(ev, pos, &e);
	strbuf_addf(out, "%s %s", trace_thread_name(evidence_trace(ev), e.tid), show_op(e.op));
	if (e.name)
		strbuf_addf(out, " %s", e.name);
	else if (e.peer != 0)
		strbuf_addf(out, " %s", trace_thread_name(evidence_trace(ev), e.peer));
	before = out->n;
	strbuf_adds(out, " at ");
	show_place(evidence_trace(ev), e.site, out);
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

/* "deadlock of events 3, 8 and 12: T1 lock m at a.c:10, T2 ..." */
static void targets_show(const struct evidence *ev, const struct witness *w, struct strbuf *out)
{
	size_t n = w->targets.n;

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
	struct trace_info info;

	trace_info(t, &info);
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
	targets_show(ev, w, &text);
	printf("certified: %s\n", strbuf_str(&text));
	strbuf_release(&text);
	numbers_print("reads that see another write:", v->relaxed.at, v->relaxed.n);
	numbers_print("free reads whose value may differ (model dep):", v->tainted.at,
		      v->tainted.n);
	gaps_print(evidence_trace(ev));
	return EXIT_FINE;
}

static int witness_check(const struct evidence *ev, const struct witness *w, const struct verify *v)
{
	struct check_claim claim = {
		.kind = w->kind,
		.targets = w->targets.at,
		.ntargets = (uint32_t)w->targets.n,
		.order = w->order.at,
		.norder = w->order.n,
		.relaxed = w->relaxed.at,
		.nrelaxed = w->relaxed.n,
		.strict = v->strict || !w->dep,
		.values = v->values || w->values,
	};
	struct checker *c = checker_new(ev);
	struct check_verdict verdict;
	int status;

	checker_run(c, &claim, &verdict);
	status = verdict_print(ev, w, &verdict);
	check_verdict_release(&verdict);
	checker_free(c);
	return status;
}

/* The trace is read for the evidence, then the witness by it. */
static int files_check(struct trace *t, const char *path, const struct verify *v)
{
	struct evidence_options opt = { .digest = true, .values = true };
	struct evidence *ev = NULL;
	struct witness w = { 0 };
	struct diag d = { 0 };
	int status = EXIT_TROUBLE;

	if (evidence_load(t, &opt, &ev, &d) != ST_OK || witness_read(path, ev, &w, &d) != ST_OK) {
		talk_error("%s", d.message);
		goto out;
	}
	if (w.digest[0] && strcmp(w.digest, evidence_digest(ev)) != 0) {
		talk_error("'%s' is a witness for another trace", path);
		talk_more("it names   %s", w.digest);
		talk_more("this is    %s", evidence_digest(ev));
		goto out;
	}
	input_notes(t, &v->in);
	status = witness_check(ev, &w, v);
out:
	witness_release(&w);
	evidence_free(ev);
	return status;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct verify v = { 0 };
	struct option_parser p;
	const char *value;
	struct trace *t;
	int id, status;

	option_begin(&p, c->name, c->options, argc, argv);
	while ((id = option_next(&p, &value)) != OPTION_DONE) {
		if (id == STRICT)
			v.strict = true;
		else if (id == VALUES)
			v.values = true;
		else if (!input_option(&v.in, c, id, value, &status))
			return status;
	}
	if (p.noperands == 0)
		return command_misuse(c, "no trace given");
	if (p.noperands > 2)
		return command_misuse(c, "more than a trace and a witness given");
	if (p.noperands == 1)
		return input_selfcheck(p.operands[0], &v.in);
	t = input_open(p.operands[0], &v.in);
	if (!t)
		return EXIT_TROUBLE;
	status = files_check(t, p.operands[1], &v);
	trace_close(t);
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
		"leads to its race, deadlock or lost wakeup. Prints 'certified: ...' and leaves with 0,\n"
		"or the first rule broken and leaves with 1. Shares no code with the analyses that\n"
		"write witnesses. Where accesses were not recorded (--locks-only, --only, --ignore) a\n"
		"witness is certified as far as the recorded events go, and that is said.\n",
	.options = verify_options,
	.run = run,
};
