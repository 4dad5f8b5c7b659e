#include "cli/command.h"
#include "cli/input.h"
#include "report/hot.h"
#include "report/json.h"
#include "report/show.h"
#include "report/tally.h"
#include "trace/trace.h"

struct request {
	struct input in;
	bool json, hot;
};

enum { STATS_FORMAT = 1 };

static const struct option_def stats_options[] = {
	{ .id = STATS_FORMAT, 'f', "format", "FORMAT", "text (the default) or json" },
	{ OPTION_AT(struct request, hot), 0, "hot", NULL,
	  "which functions, variables and files have most of the accesses" },
	INPUT_OPTIONS,
	{ 0 },
};

/* False after a message. */
static bool count_events(struct trace *t, const char *path, const struct input *in,
			 struct tally *out, struct hot *hot)
{
	struct talk_progress progress;
	struct diag d = { 0 };
	struct event e;
	enum status st;

	talk_progress_begin(&progress, path, in->quiet);
	while ((st = trace_next(t, &e, &d)) == ST_OK) {
		tally_event(out, t, &e);
		hot_event(hot, &e);
		talk_progress_step(&progress, out->events);
	}
	talk_progress_end(&progress);
	if (st == ST_END)
		return true;
	talk_error("%s", d.message);
	return false;
}

static int stats(const char *path, const struct request *r)
{
	const struct input *in = &r->in;
	struct trace *t = input_open(path, in);
	struct json j = { .to = stdout };
	struct tally y = { 0 };
	struct hot hot = { 0 };
	bool good;

	if (!t)
		return EXIT_TROUBLE;
	good = count_events(t, path, in, &y, &hot);
	if (good && r->json) {
		json_open(&j, NULL, '{');
		json_number(&j, "foresee", 1);
		tally_json(&y, t, path, &j);
		if (r->hot)
			hot_json(&hot, t, &j);
		json_close(&j, '}');
		putchar('\n');
	} else if (good) {
		tally_print(&y, t, path, stdout);
		if (r->hot)
			hot_print(&hot, t, stdout);
	}
	if (good && !r->json && !in->quiet)
		show_notes(t);
	hot_release(&hot);
	tally_release(&y);
	trace_close(t);
	return good ? EXIT_FINE : EXIT_TROUBLE;
}

static bool take_format(void *request, const struct option_parser *p, int id, const char *value)
{
	struct request *r = request;

	(void)p;
	(void)id;
	r->json = strcmp(value, "json") == 0;
	if (r->json || strcmp(value, "text") == 0)
		return true;
	command_misuse(&cmd_stats, "unknown format '%s': expected text or json", value);
	return false;
}

static int stats_command(const struct command *c, int argc, char **argv)
{
	struct request r = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &r, [OPTION_INPUT] = &r.in } };
	int status;

	if (!command_trace(c, &p, argc, argv, &status))
		return status;
	return stats(p.operands[0], &r);
}

const struct command cmd_stats = {
	.name = "stats",
	.usage = "[OPTIONS] TRACE",
	.summary = "count what a trace holds",
	.details = "TRACE is a recording, or STD text; - reads text from standard input.\n",
	.options = stats_options,
	.take = take_format,
	.run = stats_command,
};
