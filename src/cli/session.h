/*
 * One recording: what `record' and `run' have in common.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/strbuf.h"
#include "cli/launch.h"

struct diag;

/* Rows for the option tables of both commands, which differ in what they call the trace. */
#define SESSION_TRACE 101
#define SESSION_FULL 102
#define SESSION_ONLY 103
#define SESSION_IGNORE 104
#define SESSION_LOCKS 105
#define SESSION_QUIET 106
#define SESSION_COLOR 107
#define SESSION_NO_HANG_STOP 108
#define SESSION_VERBOSE 109
#define SESSION_KEEP 110
#define SESSION_FOLLOW 111
#define SESSION_LINGER 112
#define SESSION_LINGER_MS 1000
#define SESSION_TRACE_HELP "where the trace goes; default PROG.foresee"
#define SESSION_OPTIONS                                                                   \
	{ SESSION_FULL, 0, "full", NULL, "record every access, filter nothing" },         \
		{ SESSION_ONLY, 0, "only", "PAT",                                         \
		  "record accesses of matching variables only; repeatable" },             \
		{ SESSION_IGNORE, 0, "ignore", "PAT",                                     \
		  "leave out matching variables; repeatable" },                           \
		{ SESSION_LOCKS, 0, "locks-only", NULL,                                   \
		  "record no accesses, only locks and the like, of any program" },        \
		{ SESSION_KEEP, 0, "keep", "SIZE",                                        \
		  "keep only the last SIZE (2G, 500M) of what threads did" },             \
		{ SESSION_FOLLOW, 0, "follow-fork", NULL,                                 \
		  "go along with the child when the program forks" },                     \
		{ SESSION_LINGER, 0, "linger", "MS",                                      \
		  "let threads that are left at the end go on, at most so long; 1000" },  \
		{ SESSION_QUIET, 'q', "quiet", NULL, "say nothing but errors" },          \
	{                                                                                 \
		SESSION_COLOR, 0, "color", "WHEN", "colour messages: auto, always, never" \
	}

/* For commands that stop a program when it hangs. */
#define SESSION_HANG_OPTION                                                         \
	{                                                                           \
		SESSION_NO_HANG_STOP, 0, "no-hang-stop", NULL,                      \
			"let a program that hangs for good go on until it is ended" \
	}

/*
 * What goes on beside a recording, if anything: begin is called right before the program starts,
 * end when it has ended; both with the absolute path of the trace, which may not be there.
 */
struct session_watch {
	void (*begin)(void *arg, const char *trace);
	void (*end)(void *arg, const char *trace, const struct launch_end *end);
	void *arg;
};

struct session {
	const char *trace;     /* NULL: the default name */
	struct strbuf options; /* for the runtime, one a line */
	uint64_t keep;	       /* bytes; 0: all */
	uint64_t linger;       /* milliseconds */
	bool locks;	       /* --locks-only: the program need not be built for recording */
	bool follow;	       /* --follow-fork */
	bool quiet;
	enum launch_hang hang;
	bool announce; /* locking patterns, as they appear */
};

struct command;
struct option_parser;

/* What a command adds to the common command line. */
struct session_command {
	/* An option that is not of a session; false: leave with 2.  NULL when there are none. */
	bool (*option)(void *arg, const struct option_parser *p, int id, const char *value);
	/* After the options, with the program's command line; the status to leave with. */
	int (*act)(void *arg, struct session *s, char **argv);
	void *arg;
	enum launch_hang hang; /* unless the user wants it otherwise */
	int announce;	       /* id of the option, with whatever else it means; 0 none */
};
int session_command(const struct command *c, int argc, char **argv,
		    const struct session_command *how);

/*
 * Records argv[0], found and checked as path, to the session's trace or the
 * default name made from `name'.  An old trace of that name is removed first.
 * *trace is its absolute path, the caller's to free.  watch may be NULL.
 */
enum status session_record(const struct session *s, const char *name, const char *path, char **argv,
			   const struct session_watch *watch, char **trace, struct launch_end *end,
			   struct diag *d) __attribute__((warn_unused_result));

/* As --full does. */
void session_want_full(struct session *s);

/* The line about it on stderr, unless quiet. */
void session_summary(const struct session *s, const char *trace, const struct launch_end *end);

/* What the recorder has to tell, unless quiet: for those who do not read the trace anyway. */
void session_notes(const struct session *s, const char *trace);

#endif /* CLI_SESSION_H */
