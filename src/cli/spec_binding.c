#include "cli/spec_binding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/talk.h"
#include "cli/input.h"
#include "monitor/eval.h"
#include "monitor/reading.h"
#include "spec/spec.h"
#include "trace/trace.h"

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

static void print_all(const struct spec *s, const struct watch *w, struct trace *t,
		      const char *path)
{
	const char *const *notes;
	struct trace_info info;
	int width = 0;

	trace_info(t, &info);
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

bool spec_binding_print(const struct spec *s, const char *trace, const struct input *in)
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
		print_all(s, r.watch, t, trace);
	reading_close(&r);
	trace_close(t);
	return good;
}
