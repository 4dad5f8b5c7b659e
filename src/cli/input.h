/*
 * Reading a trace on behalf of a command: opening, complaining, one pass.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli/option.h"

struct trace;

struct input {
	bool lenient, quiet;
	uint64_t from_cut, to_cut; /* as in struct trace_options */
};

/* Rows for the option tables of commands that read traces. */
enum { INPUT_FIRST = 201, INPUT_COLOR = INPUT_FIRST, INPUT_CUTS };
/* clang-format off */
#define INPUT_LENIENT_HELP "repair ill-formed text with a note"
#define INPUT_LENIENT_OPTION									\
	{ OPTION_IN(OPTION_INPUT, struct input, lenient), 0, "lenient", NULL, INPUT_LENIENT_HELP }
#define INPUT_QUIET_OPTION									\
	{ OPTION_IN(OPTION_INPUT, struct input, quiet), 'q', "quiet", NULL, "say nothing but errors" }
#define INPUT_COLOR_OPTION									\
	{ .id = INPUT_COLOR, 0, "color", "WHEN", "colour messages: auto, always, never" }
#define INPUT_OPTIONS										\
	INPUT_LENIENT_OPTION,									\
	INPUT_QUIET_OPTION,									\
	{ .id = INPUT_CUTS, 0, "cuts", "FROM:TO",							\
	  "only what lies between two cuts of a recording; 0: its beginning, its end" },	\
	INPUT_COLOR_OPTION
/* clang-format on */

/* One of the rows above that is not OPTION_IN; in may be NULL but for INPUT_CUTS.  False after a
 * message. */
bool input_option(struct input *in, int id, const char *value);

/* NULL after a message. */
struct trace *input_open(const char *path, const struct input *in);

/* Opens the trace, has it read, shows the notes and closes it; what went wrong is said.  The status to
 * leave with; read may also say that it did not come to the end. */
typedef enum status input_reader(void *arg, struct trace *t, struct diag *d);
int input_read(const char *path, const struct input *in, input_reader *read, void *arg);

#endif /* CLI_INPUT_H */
