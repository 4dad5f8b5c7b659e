#include <string.h>

#include "base/diag.h"
#include "base/talk.h"
#include "cli/command.h"
#include "cli/input.h"
#include "report/json.h"
#include "report/show.h"
#include "report/tally.h"
#include "trace/trace.h"

enum { STATS_FORMAT = 1 };

static const struct option_def stats_options[] = {
	{ STATS_FORMAT, 'f', "format", "FORMAT", "text (the default) or json" },
	INPUT_OPTIONS,
	{ 0 },
};

/* False after a message. */
static bool count_events(struct trace *t, const char *path, const struct input *in,
			 struct tally *out)
{
	struct talk_progress progress;
	struct diag d = { 0 };
	struct event e;
	enum status st;

	talk_progress_begin(&progress, path, in->quiet);
	while ((st = trace_next(t, &e, &d)) == ST_OK) {
		tally_event(out, t, &e);
		talk_progress_step(&progress, out->events);
	}
	talk_progress_end(&progress);
	if (st == ST_END)
		return true;
	talk_error("%s", d.message);
	return false;
}

static int stats(const char *path, const struct input *in, bool json)
{
	struct trace *t = input_open(path, in);
	struct json j = { .to = stdout };
	struct tally y;
	bool good;

	if (!t)
		return EXIT_TROUBLE;
	tally_init(&y);
	good = count_events(t, path, in, &y);
	if (good && json) {
		json_open(&j, NULL, '{');
		json_number(&j, "foresee", 1);
		tally_json(&y, t, path, &j);
		json_close(&j, '}');
		putchar('\n');
	} else if (good) {
		tally_print(&y, t, path, stdout);
	}
	if (good && !json && !in->quiet)
		show_notes(t);
	tally_release(&y);
	trace_close(t);
	return good ? EXIT_FINE : EXIT_TROUBLE;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct input in = { 0 };
	struct option_parser p;
	bool json = false;
	const char *value;
	int id, status;

	option_begin(&p, c->name, c->options, argc, argv);
	while ((id = option_next(&p, &value)) != OPTION_DONE) {
		if (id == STATS_FORMAT) {
			json = strcmp(value, "json") == 0;
			if (!json && strcmp(value, "text") != 0)
				return command_misuse(
					c, "unknown format '%s': expected text or json", value);
		} else if (!input_option(&in, c, id, value, &status)) {
			return status;
		}
	}
	if (p.noperands != 1)
		return command_misuse(c, p.noperands ? "more than one trace" : "no trace given");
	return stats(p.operands[0], &in, json);
}

const struct command cmd_stats = {
	.name = "stats",
	.usage = "[OPTIONS] TRACE",
	.summary = "count what a trace holds",
	.details = "TRACE is a recording, or STD text; - reads text from standard input.\n",
	.options = stats_options,
	.run = run,
};
