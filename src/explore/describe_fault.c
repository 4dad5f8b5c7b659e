/* Faults of runs that ended by themselves: what is said of them besides the schedule. */
#include "explore/describe.h"

#include "report/frames.h"
#include "report/words.h"

const char *describe_fault(const struct baton_fault *f)
{
	return f->kind == BATON_DOUBLE_FREE ? "double free" : "use after free";
}

/* What the oracle said, as a quotation. */
static void print_said(const char *said, FILE *to)
{
	if (!*said)
		fputs("  the oracle said nothing\n", to);
	else
		fputs("  the oracle said:\n", to);
	for (const char *line = said; *line;) {
		size_t n = strcspn(line, "\n");

		fprintf(to, "    %.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

/* T3 touches 4 bytes of BLOCK+8 at a.c:7 in use
 * T2 has freed it at a.c:9 in drop */
static void print_freed(const struct explore_failure *f, FILE *to)
{
	const struct baton_fault *is = &f->fault;
	const char *name = f->trace ? trace_object_name(f->trace, is->at) : NULL;
	STRBUF_SCOPED text = { 0 };

	strbuf_adds(&text, "  ");
	describe_thread(f, is->thread, &text);
	if (is->kind == BATON_DOUBLE_FREE)
		strbuf_adds(&text, " frees ");
	else if (is->size == 0)
		strbuf_adds(&text, " uses ");
	else
		strbuf_addf(&text, " touches %" PRIu32 " byte%s of ", is->size,
			    WORDS_PLURAL(is->size));
	if (name)
		strbuf_adds(&text, words_brief(name));
	else
		strbuf_addf(&text, "0x%" PRIx64, is->at);
	if (f->trace && is->site) {
		strbuf_adds(&text, " at ");
		frames_location(f->trace, is->site, 0, &text);
	}
	strbuf_adds(&text, "\n  ");
	describe_thread(f, is->freed_thread, &text);
	strbuf_adds(&text, " has freed it");
	if (f->trace && is->freed_site) {
		strbuf_adds(&text, " at ");
		frames_location(f->trace, is->freed_site, 0, &text);
	}
	fprintf(to, "%s\n", strbuf_str(&text));
}

/* with landing = 1, radio = 0, by T2 at a.c:7 in land */
static void print_property(const struct explore_failure *f, FILE *to)
{
	const struct property_fault *is = &f->property;
	STRBUF_SCOPED text = { 0 };

	strbuf_addf(&text, "  %s%s", is->is_error ? "" : "with ", is->values);
	if (!*is->values)
		strbuf_clear(&text);
	strbuf_adds(&text, text.n ? ", " : "  ");
	if (is->thread == UINT32_MAX) {
		strbuf_adds(&text, "when main begins");
	} else {
		strbuf_adds(&text, "by ");
		describe_thread(f, is->thread, &text);
	}
	if (f->trace && is->site) {
		strbuf_adds(&text, " at ");
		frames_location(f->trace, is->site, 0, &text);
	}
	fprintf(to, "%s\n", strbuf_str(&text));
}

void describe_fault_print(const struct explore_failure *f, FILE *to)
{
	if (f->is_race) /* how its run ended is another failure */
		return;
	if (f->said)
		print_said(f->said, to);
	if (f->verdict.fault == EXPLORE_FREED)
		print_freed(f, to);
	if (f->verdict.fault == EXPLORE_PROPERTY)
		print_property(f, to);
}
