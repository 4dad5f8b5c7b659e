/*
 * The command line that `record' and `run' have in common.
 */
#ifndef CLI_SESSION_OPTIONS_H
#define CLI_SESSION_OPTIONS_H

#include <stdbool.h>

#include "cli/option.h"
#include "launch/session.h"

struct command;
struct option_parser;

/* Rows for the option tables of both commands, which differ in what they call the trace. */
#define SESSION_TRACE 101
#define SESSION_FULL 102
#define SESSION_ONLY 103
#define SESSION_IGNORE 104
#define SESSION_COLOR 105
#define SESSION_NO_HANG_STOP 106
#define SESSION_VERBOSE 107
#define SESSION_KEEP 108
#define SESSION_LINGER 109
#define SESSION_LINGER_MS 1000
#define SESSION_TRACE_HELP "where the trace goes; default PROG.foresee"
#define SESSION_OPTIONS                                                                   \
	{ SESSION_FULL, 0, "full", NULL, "record every access, filter nothing" },         \
		{ SESSION_ONLY, 0, "only", "PAT",                                         \
		  "record accesses of matching variables only; repeatable" },             \
		{ SESSION_IGNORE, 0, "ignore", "PAT",                                     \
		  "leave out matching variables; repeatable" },                           \
		{ OPTION_AT(struct session, locks), 0, "locks-only", NULL,                \
		  "record no accesses, only locks and the like, of any program" },        \
		{ SESSION_KEEP, 0, "keep", "SIZE",                                        \
		  "keep only the last SIZE (2G, 500M) of what threads did" },             \
		{ OPTION_AT(struct session, follow), 0, "follow-fork", NULL,              \
		  "go along with the child when the program forks" },                     \
		{ SESSION_LINGER, 0, "linger", "MS",                                      \
		  "let threads that are left at the end go on, at most so long; 1000" },  \
		{ OPTION_AT(struct session, quiet), 'q', "quiet", NULL,                   \
		  "say nothing but errors" },                                             \
	{                                                                                 \
		SESSION_COLOR, 0, "color", "WHEN", "colour messages: auto, always, never" \
	}

/* For commands that stop a program when it hangs. */
#define SESSION_HANG_OPTION                                                         \
	{                                                                           \
		SESSION_NO_HANG_STOP, 0, "no-hang-stop", NULL,                      \
			"let a program that hangs for good go on until it is ended" \
	}

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

#endif /* CLI_SESSION_OPTIONS_H */
