/*
 * Reports for other tools, made of the report as JSON (report/report.h): what was found in parts of a recording, or
 * while it was made, is there in no other form; and whoever has an old report can have it in these forms, too.
 *
 *	sarif		SARIF 2.1.0: one log, a run for each trace
 *	gcc		lines as compilers write them, for editors: "a.c:31:9: warning: ...", "note: ..."
 *	markdown	for comments on changes
 */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "base/common.h"

struct json_tree;

struct format {
	const char *name;
	/* Around all reports of a command; or NULL. */
	void (*begin)(FILE *to);
	void (*end)(FILE *to);
	/* One report; first: none came before it. */
	void (*report)(const struct json_tree *t, uint32_t report, bool first, FILE *to);
};

/* Ended by NULL. */
extern const struct format *const format_table[];
extern const struct format format_sarif, format_gcc, format_markdown;

const struct format *format_find(const char *name); /* NULL: none */

/* ---- what they share ---- */

/* A member that is a string; "": it is not there. */
const char *format_text(const struct json_tree *t, uint32_t node, const char *key);
/* Where a place lies, as a user would write it: the path from the working directory, when it lies there.  False: its
 * file is not known. */
bool format_path(const struct json_tree *t, uint32_t place, struct strbuf *out);
/* What a finding is about: a name, or several with commas. */
void format_object(const struct json_tree *t, uint32_t finding, struct strbuf *out);
/* "T2 write in add_entry, holds m" */
void format_place(const struct json_tree *t, uint32_t place, struct strbuf *out);
/* "predicted, certified"; "warning, since ..." */
void format_sureness(const struct json_tree *t, uint32_t finding, struct strbuf *out);

#endif /* REPORT_FORMAT_H */
