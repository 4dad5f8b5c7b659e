/*
 * The command line that `record' and `run' have in common.
 */
#ifndef CLI_SESSION_OPTIONS_H
#define CLI_SESSION_OPTIONS_H

#include "cli/input.h"
#include "launch/session.h"

struct command;

/* Rows for the option tables of both commands, which differ in what they call the trace. */
enum {
	SESSION_FIRST = 101,
	SESSION_TRACE = SESSION_FIRST,
	SESSION_FULL,
	SESSION_ONLY,
	SESSION_IGNORE,
	SESSION_NO_HANG_STOP,
	SESSION_KEEP,
};
#define SESSION_LINGER_MS 1000
#define SESSION_TRACE_HELP "where the trace goes; default PROG.foresee"
#define SESSION_AT(member) OPTION_IN(OPTION_SESSION, struct session, member)
/* clang-format off */
#define SESSION_OPTIONS										\
	{ .id = SESSION_FULL, 0, "full", NULL, "record every access, filter nothing" },		\
	{ .id = SESSION_ONLY, 0, "only", "PAT",							\
	  "record accesses of matching variables only; repeatable" },				\
	{ .id = SESSION_IGNORE, 0, "ignore", "PAT", "leave out matching variables; repeatable" },	\
	{ SESSION_AT(locks), 0, "locks-only", NULL,						\
	  "record no accesses, only locks and the like, of any program" },			\
	{ SESSION_AT(valgrind), 0, "valgrind", NULL,						\
	  "record any program under Valgrind: every access, slowly" },				\
	{ .id = SESSION_KEEP, 0, "keep", "SIZE",							\
	  "keep only the last SIZE (2G, 500M) of what threads did" },				\
	{ SESSION_AT(beside), 0, "beside", "CMD",						\
	  "run 'sh -c CMD' beside it, a client, say; FORESEE_TARGET is the program" },		\
	{ SESSION_AT(follow), 0, "follow-fork", NULL,						\
	  "go along with the child when the program forks" },					\
	{ SESSION_AT(linger), 0, "linger", "MS",						\
	  "let threads that are left at the end go on, at most so long; 1000",			\
	  OPTION_NUMBER(struct session, linger, 0, 600000) },					\
	{ SESSION_AT(quiet), 'q', "quiet", NULL, "say nothing but errors" },			\
	INPUT_COLOR_OPTION

/* For commands that stop a program when it hangs. */
#define SESSION_HANG_OPTION									\
	{ .id = SESSION_NO_HANG_STOP, 0, "no-hang-stop", NULL,					\
	  "let a program that hangs for good go on until it is ended" }
/* clang-format on */

/* One of the rows above that is not OPTION_IN.  False after a message. */
bool session_option(struct session *s, const struct option_parser *p, int id, const char *value);

/*
 * The whole command: its options, then `act' with the program's command line.  p has the structs of
 * the options but for the session's.  hang: unless the user wants it otherwise.
 */
typedef int session_act(void *own, struct session *s, char **argv);
int session_command(const struct command *c, int argc, char **argv, struct option_parser *p,
		    enum launch_hang hang, session_act *act);

#endif /* CLI_SESSION_OPTIONS_H */
