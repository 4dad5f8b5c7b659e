/*
 * A report for a comment on a change: a line for each finding, and what is known of it folded away below.
 *
 * Names of the program are code, in backticks; pipes and line ends, which would break a table, are replaced.
 */
#include <ctype.h>

#include "base/json_read.h"
#include "report/format.h"

#define MOST 100       /* findings in full; services cut what is longer */
#define MOST_THREADS 8 /* columns of a table */

/* In backticks: longer ones than it holds itself, so that it cannot end them. */
static void code_print(const char *text, FILE *to)
{
	size_t run = 0, longest = 0;

	for (const char *s = text; *s; s++) {
		run = *s == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		putc('`', to);
	fputs(longest ? " " : "", to);
	for (const char *s = text; *s; s++)
		putc(*s == '|' ? '/' : iscntrl((unsigned char)*s) ? '?' : *s, to);
	fputs(longest ? " " : "", to);
	for (size_t i = 0; i <= longest; i++)
		putc('`', to);
}

static void where_print(const struct json_tree *t, uint32_t place, FILE *to)
{
	STRBUF_SCOPED path = { 0 };

	if (!format_path(t, place, &path))
		return;
	strbuf_addf(&path, ":%" PRIu64, json_uint(t, json_get(t, place, "line")));
	code_print(strbuf_str(&path), to);
}

static void row_print(const struct json_tree *t, uint32_t finding, FILE *to)
{
	uint32_t places = json_get(t, finding, "places");
	STRBUF_SCOPED object = { 0 }, sure = { 0 };
	const char *comma = "";

	format_object(t, finding, &object);
	format_sureness(t, finding, &sure);
	fprintf(to, "| %" PRIu64 "%s | %s | ", json_uint(t, json_get(t, finding, "id")),
		json_is_true(t, json_get(t, finding, "known")) ? " (known)" : "",
		format_text(t, finding, "kind"));
	code_print(strbuf_str(&object), to);
	fputs(" | ", to);
	for (uint32_t i = json_first(t, places); i != JSON_NONE;
	     i = json_next(t, i), comma = ", ") {
		fputs(comma, to);
		where_print(t, i, to);
	}
	fputs(" | ", to);
	code_print(strbuf_str(&sure), to);
	fputs(" |\n", to);
}

/* ---- the run that shows it ---- */

struct lanes {
	const char *at[MOST_THREADS];
	size_t n;
};

/* Column of a thread; MOST_THREADS: no room for it. */
static size_t lane_of(struct lanes *l, const char *thread)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->at[i], thread) != 0)
		i++;
	if (i == l->n && i < MOST_THREADS)
		l->at[l->n++] = thread;
	return i;
}

static void step_print(const struct json_tree *t, uint32_t step, struct lanes *lanes, FILE *to)
{
	size_t lane = lane_of(lanes, format_text(t, step, "thread"));
	STRBUF_SCOPED text = { 0 };

	if (lane == MOST_THREADS)
		return;
	strbuf_addf(&text, "%s %s", format_text(t, step, "op"), format_text(t, step, "object"));
	fprintf(to, "| %" PRIu64 " ", json_uint(t, json_get(t, step, "event")));
	for (size_t i = 0; i < lanes->n; i++) {
		fputs("| ", to);
		if (i == lane) {
			code_print(strbuf_str(&text), to);
			putc(' ', to);
			where_print(t, step, to);
		}
		putc(' ', to);
	}
	fputs("|\n", to);
}

static void steps_print(const struct json_tree *t, uint32_t finding, FILE *to)
{
	uint32_t steps = json_get(t, json_get(t, finding, "witness"), "steps");
	struct lanes lanes = { .n = 0 };

	for (uint32_t i = json_first(t, steps); i != JSON_NONE; i = json_next(t, i))
		lane_of(&lanes, format_text(t, i, "thread"));
	if (lanes.n == 0)
		return;
	fputs("\nA run that shows it:\n\n| event |", to);
	for (size_t i = 0; i < lanes.n; i++) {
		putc(' ', to);
		code_print(lanes.at[i], to);
		fputs(" |", to);
	}
	fputs("\n|---|", to);
	for (size_t i = 0; i < lanes.n; i++)
		fputs("---|", to);
	putc('\n', to);
	for (uint32_t i = json_first(t, steps); i != JSON_NONE; i = json_next(t, i))
		step_print(t, i, &lanes, to);
}

static void finding_print(const struct json_tree *t, uint32_t finding, FILE *to)
{
	uint32_t places = json_get(t, finding, "places");

	fprintf(to, "\n<details><summary>%" PRIu64 ": %s</summary>\n\n",
		json_uint(t, json_get(t, finding, "id")), format_text(t, finding, "kind"));
	code_print(format_text(t, finding, "summary"), to);
	fputs("\n\n", to);
	for (uint32_t i = json_first(t, places); i != JSON_NONE; i = json_next(t, i)) {
		STRBUF_SCOPED text = { 0 };

		format_place(t, i, &text);
		fputs("- ", to);
		code_print(strbuf_str(&text), to);
		putc(' ', to);
		where_print(t, i, to);
		putc('\n', to);
	}
	steps_print(t, finding, to);
	fputs("\n</details>\n", to);
}

static void gone_print(const struct json_tree *t, uint32_t report, FILE *to)
{
	uint32_t list = json_get(t, json_get(t, report, "baseline"), "gone");

	if (json_first(t, list) != JSON_NONE)
		fputs("\nGone since the baseline:\n\n", to);
	for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i)) {
		fputs("- ", to);
		code_print(format_text(t, i, "summary"), to);
		putc('\n', to);
	}
}

static void report_print(const struct json_tree *t, uint32_t report, bool first, FILE *to)
{
	uint32_t list = json_get(t, report, "findings");
	uint64_t n = 0;

	fprintf(to, "%s### foresee: ", first ? "" : "\n");
	code_print(format_text(t, json_get(t, report, "trace"), "path"), to);
	fputs(json_first(t, list) == JSON_NONE
		      ? "\n\nNothing was found.\n"
		      : "\n\n| | kind | of | where | how sure |\n|---|---|---|---|---|\n",
	      to);
	for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i))
		row_print(t, i, to);
	for (uint32_t i = json_first(t, list); i != JSON_NONE && n < MOST; i = json_next(t, i))
		if (!json_is_true(t, json_get(t, i, "known"))) {
			finding_print(t, i, to);
			n++;
		}
	gone_print(t, report, to);
}

const struct format format_markdown = { .name = "markdown", .report = report_print };
