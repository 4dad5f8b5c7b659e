/*
 * What a spec says, as the tool has understood it.
 */

#include "cli/command.h"
#include "cli/input.h"
#include "export/spec_races.h"
#include "monitor/eval.h"
#include "monitor/monitor.h"
#include "monitor/mttl.h"
#include "monitor/reading.h"
#include "spec/spec.h"
#include "trace/trace.h"

struct spec_view {
	struct input in;
	bool format;
	const char *trace;   /* NULL: none */
	const char *library; /* the same */
};

#define AT(member) OPTION_AT(struct spec_view, member)
static const struct option_def spec_options[] = {
	{ AT(format), 0, "format", NULL, "print the file itself, laid out, with all parentheses" },
	{ AT(trace), 0, "trace", "TRACE",
	  "say where the variables are in the program of this recording" },
	{ AT(library), 0, "library", "NAME",
	  "write a specification made for a trace instead: races or atomicity" },
	INPUT_LENIENT_OPTION,
	INPUT_QUIET_OPTION,
	INPUT_COLOR_OPTION,
	{ 0 },
};

/* ---- sets ---- */

static void list_variables(const struct spec *s, uint64_t set, struct strbuf *out)
{
	for (uint32_t i = 0; i < s->nvariables; i++)
		if (set >> i & 1)
			strbuf_addf(out, "%s%s", out->n ? ", " : "", s->variables[i].name);
}

static void list_events(const struct spec *s, uint64_t set, struct strbuf *out)
{
	for (uint32_t i = 0; i < s->nevents; i++)
		if (set >> i & 1)
			strbuf_addf(out, "%s%s", out->n ? ", " : "", s->events[i].name);
}

/* A line of "label  list", if there is anything in it. */
static void print_list(const char *label, const struct spec *s, uint64_t variables, uint64_t events)
{
	struct strbuf list = { 0 };

	list_variables(s, variables, &list);
	list_events(s, events, &list);
	if (list.n)
		printf("  %-10s %s\n", label, list.at);
	strbuf_release(&list);
}

/* ---- properties ---- */

static void list_accesses(const char *what, const struct spec *s, uint64_t set, struct strbuf *out)
{
	struct strbuf list = { 0 };

	list_variables(s, set, &list);
	if (list.n)
		strbuf_addf(out, "%s%s %s", out->n ? "; " : "", what, list.at);
	strbuf_release(&list);
}

static void print_steps(const struct spec *s, const struct monitor *m)
{
	struct strbuf text = { 0 };

	list_events(s, m->events, &text);
	list_accesses("writes of", s, m->writes & ~m->reads, &text);
	list_accesses("reads of", s, m->reads & ~m->writes, &text);
	list_accesses("reads and writes of", s, m->reads & m->writes, &text);
	printf("  %-10s %s\n", "steps",
	       text.n ? text.at : "none: only the initial state is looked at");
	strbuf_release(&text);
}

/* What it takes to know, of this property alone, and what is done about it. */
static void print_knowledge(const struct spec *s, const struct spec_property *p)
{
	static const char *const actions[] = {
		[SPEC_DO_LOG] = "a line on stderr",
		[SPEC_DO_COUNT] = "counted",
		[SPEC_DO_CALL] = "a function of the program is called",
		[SPEC_DO_SET] = "a variable of the program is set",
		[SPEC_DO_WAIT] = "the thread waits until something holds",
		[SPEC_DO_ABORT] = "the program is aborted",
		[SPEC_DO_STOP] = "the program stops, for gdb",
	};
	struct spec_property one = *p;
	struct know_program *program;
	struct spec alone = *s;
	struct strbuf text = { 0 };
	struct diag d = { 0 };

	alone.properties = &one;
	alone.nproperties = 1;
	if (mttl_compile(&alone, &program, &d) != ST_OK)
		return; /* view has said so */
	mttl_describe(program, &text);
	mem_free(program);
	printf("  %-10s %s\n", "monitor", text.at);
	printf("  %-10s %s\n", "knowledge",
	       s->flow_all ? "by every access, and all that orders threads"
			   : "by accesses of what the spec names, and all that orders threads");
	printf("  %-10s %s\n", "handler", actions[p->has_action ? p->action : SPEC_DO_LOG]);
	strbuf_release(&text);
}

static void print_property(const struct spec *s, const struct spec_property *p,
			   const struct monitor *m)
{
	static const char *const kinds[] = {
		[SPEC_PTLTL] = "past-time LTL, must hold in every state",
		[SPEC_ERE_NEVER] = "regular expression, no prefix of the run may match",
		[SPEC_ERE_MUST] = "regular expression, a continuation of the run must match",
		[SPEC_FSM] = "state machine, takes the first move that fits",
		[SPEC_MTTL] = "multithreaded LTL, must hold in every state of its threads",
	};
	bool any = p->body == SPEC_FSM && p->any;
	struct strbuf text = { 0 };

	spec_print_property(s, p, &text);
	printf("\n%s\n", text.at);
	printf("  %-10s %s\n", "kind",
	       any ? "state machine, takes every move that fits" : kinds[p->body]);
	if (m) {
		strbuf_clear(&text);
		m->describe(m->self, &text);
		printf("  %-10s %s\n", "monitor", text.at);
		print_steps(s, m);
	}
	if (p->body == SPEC_MTTL)
		print_knowledge(s, p);
	print_list("variables", s, p->variables, 0);
	print_list("events", s, 0, p->events);
	strbuf_release(&text);
}

static const char *many(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void print_all(const struct spec *s, const struct monitors *m)
{
	uint32_t next = 0;

	printf("%s: %u propert%s, %u variable%s, %u event%s, %u thread%s\n", s->path,
	       s->nproperties, s->nproperties == 1 ? "y" : "ies", s->nvariables,
	       many(s->nvariables), s->nevents, many(s->nevents), s->nthreads, many(s->nthreads));
	print_list("relevant", s, s->relevant_variables, s->relevant_events);
	for (uint32_t i = 0; i < s->nproperties; i++) {
		const struct spec_property *p = &s->properties[i];
		bool has = next < m->n && m->at[next].property == p;

		print_property(s, p, has ? &m->at[next] : NULL);
		next += has;
	}
}

/* ---- in a program ---- */

static void print_variable(const struct spec *s, const struct watch *w, uint32_t i, int width,
			   bool is_text)
{
	const struct spec_variable *v = &s->variables[i];
	const struct monitor_value *initial = &watch_initial(w)[i];
	struct strbuf value = { 0 };
	struct watch_variable is;

	if (!watch_variable(w, i, &is))
		BUG("variable %u of a spec is not bound", i);
	printf("  %-*s %s, %u byte%s", width, v->name, is.type ? is.type : v->type.text, is.size,
	       is.size == 1 ? "" : "s");
	/* Of text the numbers are the reader's own; a name that the program gives has none yet. */
	if (is.addr && !is_text)
		printf(" at 0x%" PRIx64, is.addr);
	eval_print(&v->type, initial, &value);
	if (eval_is_known(&v->type, initial))
		printf(", initially %s%s%s%s", strbuf_str(&value), is.origin ? " (" : "",
		       is.origin ? is.origin : "", is.origin ? ")" : "");
	else
		printf(", initial value not known");
	printf("\n");
	strbuf_release(&value);
}

static void print_bound(const struct spec *s, const struct watch *w, struct trace *t,
			const char *path)
{
	const char *const *notes;
	int width = 0;
	struct trace_info info = trace_info(t);

	for (uint32_t i = 0; i < s->nvariables; i++)
		if ((int)strlen(s->variables[i].name) > width)
			width = (int)strlen(s->variables[i].name);
	printf("\nvariables in %s\n", path);
	for (uint32_t i = 0; i < s->nvariables; i++)
		print_variable(s, w, i, width, info.form != TRACE_BINARY);
	if (s->nvariables == 0)
		printf("  none are declared\n");
	fflush(stdout);
	for (size_t i = 0, n = watch_notes(w, &notes); i < n; i++)
		talk_note("note: %s", notes[i]);
}

/*
 * Binding stops at the first name that is not there; somebody who asks for names wants to hear of
 * all.  So each is tried alone, in a spec that has nothing else.
 */
static bool complain_each(const struct spec *s, struct trace *t)
{
	bool good = true;

	for (uint32_t i = 0; i < s->nvariables; i++) {
		struct spec one = *s;
		struct diag d = { 0 };
		struct reading r;

		one.variables = &s->variables[i];
		one.nvariables = 1;
		one.nevents = one.nproperties = 0;
		one.relevant_variables = one.relevant_events = 0;
		if (reading_begin(&r, t, &one, &d) != ST_OK) {
			talk_error("%s", d.message);
			good = false;
		}
		reading_close(&r);
	}
	return good;
}

/* Where the spec's variables are in the program of a trace.  False after a message. */
static bool print_binding(const struct spec *s, const char *trace, const struct input *in)
{
	struct trace *t = input_open(trace, in);
	struct diag d = { 0 };
	struct reading r;
	bool good;

	if (!t)
		return false;
	good = reading_begin(&r, t, s, &d) == ST_OK;
	if (!good && complain_each(s, t))
		talk_error("%s", d.message); /* not a variable's, then */
	if (good && !in->quiet)
		print_bound(s, r.watch, t, trace);
	reading_close(&r);
	trace_close(t);
	return good;
}

/* ---- the command ---- */

static void print_file(const struct spec *s)
{
	struct strbuf text = { 0 };

	spec_print(s, &text);
	fputs(strbuf_str(&text), stdout);
	strbuf_release(&text);
}

static bool knowledge_fits(const struct spec *s, struct diag *d)
{
	struct know_program *p = NULL;
	bool good = mttl_count(s) == 0 || mttl_compile(s, &p, d) == ST_OK;

	mem_free(p);
	return good;
}

/* False after a message. */
static bool view(const char *path, const struct spec_view *v)
{
	struct diag d = { 0 };
	struct monitors m = { 0 };
	struct spec *s = NULL;
	bool good = monitors_read(path, NULL, 0, &s, &m, &d) == ST_OK && knowledge_fits(s, &d);

	if (!good)
		talk_error("%s", d.message);
	else if (v->format)
		print_file(s);
	else if (!v->in.quiet)
		print_all(s, &m);
	if (good && v->trace)
		good = print_binding(s, v->trace, &v->in);
	monitors_release(&m);
	spec_free(s);
	return good;
}

/* A specification that is made for the trace. */
static enum status library(void *name, struct trace *t, struct diag *d)
{
	struct strbuf text = { 0 };
	enum status st = spec_library(t, strcmp(name, "atomicity") == 0, &text, d);

	fputs(strbuf_str(&text), stdout);
	strbuf_release(&text);
	return st;
}

static int spec_command(const struct command *c, int argc, char **argv)
{
	struct spec_view v = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &v, [OPTION_INPUT] = &v.in } };
	bool good = true;
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status;
	if (v.library && strcmp(v.library, "races") != 0 && strcmp(v.library, "atomicity") != 0)
		return command_misuse(c, "unknown library '%s': expected races or atomicity",
				      v.library);
	if (v.library && (p.noperands != 1 || v.format || v.trace))
		return command_misuse(c, "--library takes one trace, and no other option");
	if (v.library)
		return input_read(p.operands[0], &v.in, library, (void *)(uintptr_t)v.library);
	if (p.noperands == 0)
		return command_misuse(c, "no spec given");
	if (v.format && v.trace)
		return command_misuse(c, "--format prints the file alone: leave out --trace");
	for (int i = 0; i < p.noperands; i++) {
		if (i && !v.format && !v.in.quiet)
			putchar('\n');
		good &= view(p.operands[i], &v);
	}
	return good ? EXIT_FINE : EXIT_TROUBLE;
}

const struct command cmd_spec = {
	.name = "spec",
	.usage = "[OPTIONS] FILE... | --library NAME TRACE",
	.summary = "show how a specification is read",
	.details =
		"Parses each FILE (- is standard input) and prints its properties with all parentheses, the\n"
		"size of their monitors, what they take as steps, and the variables and events they name.\n"
		"With --library races: for each variable and pair of threads of TRACE, the formula that no\n"
		"two accesses of it, one of them a write, follow one another with nothing between.\n"
		"With --library atomicity: that no other thread comes between two accesses in a block.\n",
	.options = spec_options,
	.run = spec_command,
};
