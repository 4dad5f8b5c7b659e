/*
 * Lines as compilers write them.  Editors make a list of them that one can step through:
 *
 *	audit.c:32:14: warning: data race on audit.total: T2 write in add_entry, no lock held [race, predicted, certified]
 *	audit.c:40:3: note: called from worker
 *	audit.c:52:9: note: T3 read in report, holds audit.c:log_lock
 *
 * Whatever a program calls its things, a line stays one.
 */
#include <ctype.h>

#include "base/json_read.h"
#include "finding/finding.h"
#include "report/format.h"

static void line_print(const struct json_tree *t, uint32_t place, const char *severity,
		       struct strbuf *text, FILE *to)
{
	STRBUF_SCOPED path = { 0 };
	uint64_t line = json_uint(t, json_get(t, place, "line"));
	uint64_t column = json_uint(t, json_get(t, place, "column"));

	if (!format_path(t, place, &path))
		strbuf_adds(&path, "foresee");
	if (line)
		strbuf_addf(&path, ":%" PRIu64 ":%" PRIu64, line, column ? column : 1);
	strbuf_addf(&path, ": %s: %s", severity, strbuf_str(text));
	for (size_t i = 0; i < path.n; i++)
		putc(iscntrl((unsigned char)path.at[i]) ? '?' : path.at[i], to);
	putc('\n', to);
	strbuf_clear(text);
}

static void callers_print(const struct json_tree *t, uint32_t place, FILE *to)
{
	STRBUF_SCOPED text = { 0 };
	uint32_t stack = json_get(t, place, "stack");

	for (uint32_t i = json_first(t, stack); i != JSON_NONE; i = json_next(t, i)) {
		strbuf_addf(&text, "called from %s", format_text(t, i, "function"));
		line_print(t, i, "note", &text, to);
	}
}

static const char *title_of(const char *kind)
{
	for (int k = 0; k < FINDING_NKINDS; k++)
		if (strcmp(finding_kind_name(k), kind) == 0)
			return finding_kind_title(k);
	return kind;
}

static void finding_print(const struct json_tree *t, uint32_t finding, FILE *to)
{
	uint32_t place = json_first(t, json_get(t, finding, "places"));
	const char *kind = format_text(t, finding, "kind");
	STRBUF_SCOPED text = { 0 };

	strbuf_addf(&text, "%s: ", title_of(kind));
	format_object(t, finding, &text);
	if (place != JSON_NONE) {
		strbuf_adds(&text, ": ");
		format_place(t, place, &text);
	}
	strbuf_addf(&text, " [%s, ", kind);
	format_sureness(t, finding, &text);
	strbuf_adds(&text, "]");
	line_print(t, place, "warning", &text, to);
	callers_print(t, place, to);
	for (uint32_t i = json_next(t, place); i != JSON_NONE; i = json_next(t, i)) {
		format_place(t, i, &text);
		line_print(t, i, "note", &text, to);
		callers_print(t, i, to);
	}
}

static void report_print(const struct json_tree *t, uint32_t report, bool first, FILE *to)
{
	uint32_t list = json_get(t, report, "findings");

	(void)first;
	for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i))
		if (!json_is_true(t, json_get(t, i, "known")))
			finding_print(t, i, to);
}

const struct format format_gcc = { .name = "gcc", .report = report_print };
