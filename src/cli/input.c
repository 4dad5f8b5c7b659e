#include "cli/input.h"

#include "report/show.h"
#include "trace/trace.h"

/* "3:8", "3:", ":8" */
static bool parse_cuts(struct input *in, const char *text)
{
	char *end = (char *)text;
	const char *to;

	errno = 0;
	in->from_cut = *text == ':' ? 0 : strtoull(text, &end, 10);
	if (*end == ':' && *text != '-' && *text != '+' && *text != ' ') {
		to = end + 1;
		in->to_cut = *to == '\0' ? 0 : strtoull(to, &end, 10);
		if ((*to == '\0' || (*to >= '0' && *to <= '9' && *end == '\0')) && errno == 0 &&
		    (in->to_cut == 0 || in->from_cut <= in->to_cut))
			return true;
	}
	talk_error(
		"bad cuts '%s' for --cuts: FROM:TO is expected, two numbers of which the first is "
		"not above the second, such as 3:8, or 3: up to the end",
		text);
	return false;
}

bool input_option(struct input *in, int id, const char *value)
{
	return id == INPUT_COLOR ? talk_parse_color(value) : parse_cuts(in, value);
}

struct trace *input_open(const char *path, const struct input *in)
{
	struct trace_options opt = { .lenient = in->lenient,
				     .from_cut = in->from_cut,
				     .to_cut = in->to_cut };
	struct diag d = { 0 };
	struct trace *t;

	if (trace_open(path, &opt, &t, &d) == ST_OK)
		return t;
	talk_error("%s", d.message);
	return NULL;
}

int input_read(const char *path, const struct input *in, input_reader *read, void *arg)
{
	struct trace *t = input_open(path, in);
	struct diag d = { 0 };
	enum status st;

	if (!t)
		return EXIT_TROUBLE;
	st = read(arg, t, &d);
	if (!in->quiet)
		show_notes(t);
	trace_close(t);
	if (st == ST_OK || st == ST_END)
		return EXIT_FINE;
	talk_error("%s", d.message);
	return EXIT_TROUBLE;
}
