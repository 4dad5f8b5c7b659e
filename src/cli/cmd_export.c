#include "cli/command.h"
#include "cli/input.h"
#include "export/as_std.h"
#include "export/csp.h"
#include "export/dot.h"
#include "export/promela.h"
#include "export/smt2.h"
#include "monitor/monitor.h"
#include "monitor/reading.h"
#include "order/model.h"
#include "spec/spec.h"
#include "text/std_write.h"
#include "trace/trace.h"

struct request {
	const char *path, *to;
	bool std, is_dot, is_csp, is_smt2; /* to is one of these, not promela */
	const char *kind;		   /* of the lattice, or NULL */
	enum causes_kind lattice;
	const char *spec_path;
	struct promela_options promela;
	struct csp_options csp;
	struct input in;
};

enum { EXPORT_PAIR = 1, EXPORT_ANALYSIS };

#define AT(member) OPTION_AT(struct request, member)
static const struct option_def export_options[] = {
	{ AT(to), 0, "to", "FORM",
	  "promela, a model for SPIN; csp, processes for FDR; smt2, for Z3; std, text; dot, a "
	  "picture of the lattice" },
	{ .id = EXPORT_PAIR,
	  0,
	  "pair",
	  "I,J",
	  "promela, smt2: only the race or deadlock of events I and J" },
	{ AT(csp.variable), 0, "variable", "NAME", "csp: only the checks of this variable" },
	{ AT(csp.threads), 0, "threads", "T,U", "csp: only the checks of these two threads" },
	{ AT(promela.strict), 0, "strict", NULL, "promela, csp, smt2: every read keeps its write" },
	{ AT(kind), 0, "lattice", "KIND", "mvc or weak: the lattice, whose states are the cuts" },
	{ .id = EXPORT_ANALYSIS,
	  'a',
	  "analysis",
	  "NAME",
	  "lattice-mvc or lattice-weak: the same; of dot weak is the default" },
	{ AT(spec_path), 's', "spec", "FILE",
	  "of a lattice: what this specification takes as steps" },
	INPUT_OPTIONS,
	{ 0 },
};

static void put_out(struct strbuf *out)
{
	fwrite(strbuf_str(out), 1, out->n, stdout);
	strbuf_release(out);
}

/* The events as lines of text, by position from 1, for comments in a model. */
struct lines {
	const struct request *of;
	size_t most;
	bool read;
	struct texts at;
};

/* By a reading of its own.  Where it goes wrong, so does the one that counts. */
static void lines_read(struct lines *l)
{
	const struct request *r = l->of;
	struct trace_options opt = { .lenient = r->in.lenient };
	struct strbuf line = { 0 };
	struct diag d = { 0 };
	struct std_writer *w;
	struct trace *t;
	struct event e;

	l->read = true;
	if (strcmp(r->path, "-") == 0 || trace_open(r->path, &opt, &t, &d) != ST_OK)
		return;
	w = std_writer_new(t, true);
	while (l->at.n < l->most && trace_next(t, &e, &d) == ST_OK &&
	       std_writer_event(w, &e, &line, &d) == ST_OK) {
		line.at[line.n - 1] = '\0'; /* the newline */
		texts_add(&l->at, "%s", line.at);
		strbuf_clear(&line);
	}
	std_writer_free(w);
	strbuf_release(&line);
	trace_close(t);
}

static const char *lines_get(void *arg, uint64_t pos)
{
	struct lines *l = arg;

	if (!l->read)
		lines_read(l);
	return pos >= 1 && pos <= l->at.n ? l->at.at[pos - 1] : "";
}

static enum status write_model(struct request *r, const struct model *m, struct lines *lines,
			       struct strbuf *out, struct diag *d)
{
	r->promela.describe = lines->at.n ? lines_get : NULL;
	r->promela.arg = lines;
	r->csp.strict = r->promela.strict;
	r->csp.describe = lines_get;
	r->csp.arg = lines;
	if (r->is_csp)
		return csp_write(m, &r->csp, out, d);
	return r->is_smt2 ? smt2_write(m, &r->promela, out, d)
			  : promela_write(m, &r->promela, out, d);
}

static enum status export_model(struct request *r, struct trace *t, struct strbuf *out,
				struct diag *d)
{
	/* One event beyond what can be exported. */
	uint32_t most = r->is_csp ? CSP_EVENTS : PROMELA_EVENTS;
	struct model *m = model_new(&(struct model_options){ .values = true, .limit = most });
	struct lines lines = { .of = r, .most = most };
	struct reading reading;
	enum status st = reading_begin(&reading, t, NULL, d);

	if (st == ST_OK)
		st = reading_model(&reading, m, NULL, d);
	if (st == ST_OK) {
		diag_set(d, "too long for a model of this form: more than %u events", most);
		st = ST_LIMIT;
	} else if (st == ST_END) {
		model_finish(m);
		lines_read(&lines);
		st = write_model(r, m, &lines, out, d);
	}
	texts_release(&lines.at);
	reading_close(&reading);
	model_free(m);
	return st;
}

static enum status export_promela_lattice(struct request *r, struct trace *t,
					  const struct monitors *m, struct strbuf *out,
					  struct diag *d)
{
	struct lines lines = { .of = r, .most = PROMELA_EVENTS };
	struct promela_lattice_options opt = {
		.kind = r->lattice, .monitors = m, .describe = lines_get, .arg = &lines
	};
	enum status st = promela_lattice_write(t, &opt, out, d);

	texts_release(&lines.at);
	return st;
}

static enum status export_dot(const struct request *r, struct trace *t, const struct monitors *m,
			      struct strbuf *out, struct diag *d)
{
	struct dot_options how = { .kind = r->lattice, .monitors = m };
	struct strbuf note = { 0 };
	enum status st = dot_write(t, &how, out, &note, d);

	put_out(out); /* before the note, which goes to stderr */
	if (note.n && !r->in.quiet)
		talk_note("%s", strbuf_str(&note));
	strbuf_release(&note);
	return st;
}

static enum status export_lattice(struct request *r, struct trace *t, struct strbuf *out,
				  struct diag *d)
{
	struct monitors monitors = { 0 };
	struct spec *spec = NULL;
	const struct monitors *m = r->spec_path ? &monitors : NULL;
	enum status st = monitors_read(r->spec_path, NULL, 0, &spec, &monitors, d);

	if (st == ST_OK)
		st = r->is_dot ? export_dot(r, t, m, out, d)
			       : export_promela_lattice(r, t, m, out, d);
	monitors_release(&monitors);
	spec_free(spec);
	return st;
}

static enum status export_trace(void *request, struct trace *t, struct diag *d)
{
	struct request *r = request;
	struct strbuf out = { 0 };
	enum status st;

	if (r->std)
		return as_std(t, r->path, r->in.lenient, d);
	st = r->kind ? export_lattice(r, t, &out, d) : export_model(r, t, &out, d);
	put_out(&out);
	return st;
}

/* "mvc" or "weak" */
static bool parse_kind(const char *word, enum causes_kind *out)
{
	*out = strcmp(word, "weak") == 0 ? CAUSES_WEAK : CAUSES_MVC;
	return *out == CAUSES_WEAK || strcmp(word, "mvc") == 0;
}

/* "3,8": two different positions. */
static bool parse_pair(const char *text, uint64_t pair[2])
{
	char *end;

	if (*text < '1' || *text > '9')
		return false;
	pair[0] = strtoull(text, &end, 10);
	if (*end != ',' || end[1] < '1' || end[1] > '9')
		return false;
	pair[1] = strtoull(end + 1, &end, 10);
	return *end == '\0' && pair[0] != pair[1];
}

/* The status to leave with, or -1 to go on. */
static int refuse_form(const struct command *c, const struct request *r)
{
	if (!r->to)
		return command_misuse(c, "no form given: --to promela, csp, smt2, std or dot");
	if (!r->std && !r->is_dot && !r->is_csp && !r->is_smt2 && strcmp(r->to, "promela") != 0)
		return command_misuse(
			c, "unknown form '%s': expected promela, csp, smt2, std or dot", r->to);
	return -1;
}

static int refuse(const struct command *c, struct request *r)
{
	bool lattice = r->kind && !r->is_dot;
	int status = refuse_form(c, r);

	if (status >= 0)
		return status;
	if ((r->std || r->is_dot || r->kind) && r->promela.strict)
		return command_misuse(c, "--strict goes with --to promela, csp or smt2%s",
				      lattice ? " without --lattice" : "");
	if ((r->std || r->is_dot || r->is_csp || r->kind) && r->promela.pair[0])
		return command_misuse(c, "--pair goes with --to promela or smt2%s",
				      lattice ? " without --lattice" : "");
	if (!r->is_csp && (r->csp.variable || r->csp.threads))
		return command_misuse(c, "--variable and --threads go with --to csp");
	if ((r->std || r->is_csp || r->is_smt2) && r->kind)
		return command_misuse(c, "--lattice goes with --to promela or --to dot");
	if (r->is_csp && strcmp(r->path, "-") == 0)
		return command_misuse(c, "--to csp needs a file: it is read twice");
	if (r->kind && !parse_kind(r->kind, &r->lattice))
		return command_misuse(c, "unknown lattice '%s': expected mvc or weak", r->kind);
	if (r->spec_path && !r->kind && !r->is_dot)
		return command_misuse(c, "--spec goes with --lattice");
	return -1;
}

static bool take_option(void *request, const struct option_parser *p, int id, const char *value)
{
	struct request *r = request;

	(void)p;
	if (id == EXPORT_ANALYSIS) {
		r->kind = strncmp(value, "lattice-", 8) == 0 ? value + 8 : value;
		return true;
	}
	if (parse_pair(value, r->promela.pair))
		return true;
	command_misuse(&cmd_export, "bad value '%s' of --pair: expected two events, as 3,8", value);
	return false;
}

static int export_command(const struct command *c, int argc, char **argv)
{
	struct request r = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &r, [OPTION_INPUT] = &r.in } };
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status;
	r.std = r.to && strcmp(r.to, "std") == 0;
	r.is_dot = r.to && strcmp(r.to, "dot") == 0;
	r.is_csp = r.to && strcmp(r.to, "csp") == 0;
	r.is_smt2 = r.to && strcmp(r.to, "smt2") == 0;
	r.path = p.noperands ? p.operands[0] : "";
	if (r.is_dot && !r.kind)
		r.kind = "weak";
	status = refuse(c, &r);
	if (status >= 0)
		return status;
	if (p.noperands != 1)
		return command_misuse(c, p.noperands ? "more than one trace" : "no trace given");
	return input_read(r.path, &r.in, export_trace, &r);
}

const struct command cmd_export = {
	.name = "export",
	.usage = "--to FORM [OPTIONS] TRACE",
	.summary = "write a trace as a model for another tool",
	.details =
		"TRACE is a recording, or STD text; - reads text from standard input. The model\n"
		"goes to standard output. promela: a model for SPIN in which every correct\n"
		"reordering of the trace is a run, with a goal for each pair of accesses that\n"
		"conflict, and for each circle of lock requests. csp: processes in CSPM, with a\n"
		"refinement assertion for each variable and pair of threads. smt2: what a correct\n"
		"reordering is, with a question for each race and deadlock. With --lattice: a\n"
		"model whose states are the cuts of the lattice, its properties as assertions.\n"
		"dot: the lattice for Graphviz, a node for each cut with the events of each thread\n"
		"so far and the spec's variables; the recorded run is bold, what violates a property\n"
		"red.\n",
	.options = export_options,
	.take = take_option,
	.run = export_command,
};
