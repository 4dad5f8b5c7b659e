/*
 * Reading a trace on behalf of a command: opening, complaining, one pass.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct command;
struct diag;
struct trace;

struct input {
	bool lenient, quiet;
	uint64_t from_cut, to_cut; /* as in struct trace_options */
};

/* Rows for the option tables of commands that read traces. */
#define INPUT_LENIENT 201
#define INPUT_QUIET 202
#define INPUT_COLOR 203
#define INPUT_CUTS 204
#define INPUT_LENIENT_HELP "repair ill-formed text with a note"
#define INPUT_OPTIONS                                                                            \
	{ INPUT_LENIENT, 0, "lenient", NULL, INPUT_LENIENT_HELP },                               \
		{ INPUT_QUIET, 'q', "quiet", NULL, "say nothing but errors" },                   \
		{ INPUT_CUTS, 0, "cuts", "FROM:TO",                                              \
		  "only what lies between two cuts of a recording; 0: its beginning, its end" }, \
	{                                                                                        \
		INPUT_COLOR, 0, "color", "WHEN", "colour messages: auto, always, never"          \
	}

/*
 * For ids that the command does not know: takes in one of the rows above, or prints help.
 * True to go on, else leave with *status.
 */
bool input_option(struct input *in, const struct command *c, int id, const char *value,
		  int *status);

/* NULL after a message. */
struct trace *input_open(const char *path, const struct input *in);

/* Opens the trace, has it read, shows the notes and closes it; what went wrong is said.  The status to
 * leave with; read may also say that it did not come to the end. */
typedef enum status input_reader(void *arg, struct trace *t, struct diag *d);
int input_read(const char *path, const struct input *in, input_reader *read, void *arg);

#endif /* CLI_INPUT_H */
