/*
 * Lines of the program's source, read when a report is made.
 *
 * A recording names files; it does not hold them.  So a line is shown only where its file is there, and
 * what is newer than the program or the recording says so: it need not be what ran.
 *
 * A trace may name any file.  Only plain files whose names are those of C or C++ source are opened: a
 * report that is passed on must not carry what somebody else's trace has asked for.
 *
 * Ownership: texts live until sources_free.
 */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "base/common.h"

struct trace;
struct trace_site;
struct sources;

/* X(id, what it means, after the name of the file) */
#define SOURCE_STATES(X)                                              \
	X(THERE, "is there")                                          \
	X(MISSING, "is not there")                                    \
	X(NEWER, "has changed since the program was built, or run")   \
	X(UNREADABLE, "cannot be read")                               \
	X(STRANGE, "does not look like source and was not looked at") \
	X(UNASKED, "was not looked at: --no-source")

enum source_state {
#define X(id, words) SOURCE_##id,
	SOURCE_STATES(X)
#undef X
};
const char *source_state_words(enum source_state s);

/* The trace is borrowed; path: its file, whose age counts, or NULL.  wanted: false, no file is opened. */
struct sources *sources_new(const struct trace *t, const char *path, bool wanted);
void sources_free(struct sources *s);

struct source_file {
	const char *path; /* as the trace names it */
	enum source_state state;
	uint32_t lines; /* MISSING, STRANGE, UNREADABLE: 0 */
};
/* By number, from 0; the same file gets the same number. */
uint32_t sources_find(struct sources *s, const char *file);
uint32_t sources_count(const struct sources *s);
struct source_file sources_get(const struct sources *s, uint32_t file);
/* A line, from 1, without its end; *len 0 where there is none.  Not ended by a zero byte. */
const char *source_line(const struct sources *s, uint32_t file, uint32_t line, size_t *len);

/*
 * The part of the line that a place is about, as bytes [*from, *to): the name of its variable if that is
 * at the column, or stands there once; else the word or the sign at the column.  False: not known.
 */
bool source_mark(const char *text, size_t len, const struct trace_site *p, size_t *from,
		 size_t *to);

#endif /* REPORT_SOURCE_H */
