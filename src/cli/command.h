/*
 * The commands.  The table shows all there are; help and messages are made
 * from it.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/option.h"

struct command {
	const char *name;
	const char *usage;   /* after the name */
	const char *summary; /* lower case, no full stop */
	const char *details; /* paragraphs for --help, or NULL */
	const struct option_def *options;
	/* Which of the project's settings (cli/project.h) are options of it, too. */
	enum { PROJECT_NONE, PROJECT_CHOICE, PROJECT_ALL } project;
	void (*more)(FILE *to); /* at the end of --help, or NULL */
	/* An option of its own that is not OPTION_AT, into OPTION_OWN.  False after a message. */
	bool (*take)(void *own, const struct option_parser *p, int id, const char *value);
	int (*run)(const struct command *c, int argc, char **argv);
};

extern const struct command cmd_run, cmd_record, cmd_observe, cmd_check, cmd_config, cmd_diff,
	cmd_verify, cmd_replay, cmd_explore, cmd_guard, cmd_spec, cmd_print, cmd_stats, cmd_export,
	cmd_help;

/* All of them; ended by NULL. */
extern const struct command *const command_table[];

/* NULL, after a message that lists what exists. */
const struct command *command_find(const char *name);

/* All options of a command line: those of input.h, analyse_options.h and session_options.h, too.  False:
 * leave with *status. */
bool command_options(const struct command *c, struct option_parser *p, int argc, char **argv,
		     int *status);

/* The same of a command that takes one trace, and nothing else. */
bool command_trace(const struct command *c, struct option_parser *p, int argc, char **argv,
		   int *status);

void command_help(const struct command *c, FILE *to);
void command_overview(FILE *to);

/* For a command line that cannot be right: prints usage to stderr; the status to leave with. */
int command_misuse(const struct command *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* CLI_COMMAND_H */
