/*
 * One recording: what `record' and `run' have in common.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdbool.h>

#include "base/status.h"
#include "base/strbuf.h"

struct diag;
struct launch_end;

/* Rows for the option tables of both commands; ids from SESSION_OPTIONS up. */
#define SESSION_OUTPUT 101
#define SESSION_FULL 102
#define SESSION_ONLY 103
#define SESSION_IGNORE 104
#define SESSION_QUIET 105
#define SESSION_COLOR 106
#define SESSION_OPTIONS                                                                           \
	{ SESSION_OUTPUT, 'o', "output", "TRACE", "where the trace goes; default PROG.foresee" }, \
		{ SESSION_FULL, 0, "full", NULL, "record every access, filter nothing" },         \
		{ SESSION_ONLY, 0, "only", "PAT",                                                 \
		  "record accesses of matching variables only; repeatable" },                     \
		{ SESSION_IGNORE, 0, "ignore", "PAT",                                             \
		  "leave out matching variables; repeatable" },                                   \
		{ SESSION_QUIET, 'q', "quiet", NULL, "say nothing but errors" },                  \
	{                                                                                         \
		SESSION_COLOR, 0, "color", "WHEN", "colour messages: auto, always, never"         \
	}

struct session {
	const char *output;    /* NULL: the default name */
	struct strbuf options; /* for the runtime, one a line */
	bool quiet;
};

struct command;
/* The command line of both: reads the options, then gives the program's command line to act. */
int session_command(const struct command *c, int argc, char **argv,
		    int (*act)(const struct session *s, char **argv));

/*
 * Records argv[0], found and checked as path, to the session's output or the
 * default name made from `name'.  An old trace of that name is removed first.
 * *trace is its absolute path, the caller's to free.
 */
enum status session_record(const struct session *s, const char *name, const char *path, char **argv,
			   char **trace, struct launch_end *end, struct diag *d)
	__attribute__((warn_unused_result));

/* The line about it on stderr, unless quiet. */
void session_summary(const struct session *s, const char *trace, const struct launch_end *end);

#endif /* CLI_SESSION_H */
