#include "cli/command.h"
#include "cli/option.h"
#include "report/baseline.h"
#include "report/json.h"

struct diff {
	bool json, quiet;
};

enum { DIFF_FORMAT = 1 };

static const struct option_def diff_options[] = {
	{ .id = DIFF_FORMAT, 'f', "format", "FORMAT", "text (the default) or json" },
	{ OPTION_AT(struct diff, quiet), 'q', "quiet", NULL, "the last line only" },
	{ 0 },
};

static bool take(void *into, const struct option_parser *p, int id, const char *value)
{
	struct diff *d = into;

	(void)p;
	(void)id;
	d->json = strcmp(value, "json") == 0;
	if (d->json || strcmp(value, "text") == 0)
		return true;
	talk_error("unknown format '%s': expected text or json", value);
	return false;
}

/* Those of b that are, or are not, in the other. */
static void list_json(const struct baseline *b, const char *key, bool taken, struct json *j)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < baseline_count(b); i++) {
		const struct baseline_finding *f = baseline_at(b, i);

		if (f->taken == taken)
			baseline_finding_json(f, j);
	}
	json_close(j, ']');
}

static void print_json(const struct baseline *old, const struct baseline *new)
{
	struct json j = { .to = stdout };

	json_open(&j, NULL, '{');
	json_number(&j, "foresee", 1);
	list_json(new, "new", false, &j);
	list_json(old, "gone", false, &j);
	list_json(new, "known", true, &j);
	json_close(&j, '}');
	putchar('\n');
}

static void print_list(const struct baseline *b, const char *word)
{
	for (size_t i = 0; i < baseline_count(b); i++)
		if (!baseline_at(b, i)->taken)
			printf("%-5s %s\n", word, baseline_at(b, i)->summary);
}

static int compare(const struct diff *d, struct baseline *old, struct baseline *new)
{
	size_t n = baseline_count(new), fresh;

	/* Each of the new takes one of the old, and is taken itself then. */
	for (size_t i = 0; i < n; i++)
		if (baseline_take(old, baseline_at(new, i)->fingerprint))
			baseline_take(new, baseline_at(new, i)->fingerprint);
	fresh = baseline_gone(new);
	if (d->json) {
		print_json(old, new);
	} else {
		if (!d->quiet) {
			print_list(new, "new");
			print_list(old, "gone");
		}
		printf("%zu new, %zu gone, %zu known\n", fresh, baseline_gone(old), n - fresh);
	}
	return fresh ? EXIT_FOUND : EXIT_FINE;
}

static int diff_command(const struct command *c, int argc, char **argv)
{
	struct diff own = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &own } };
	struct baseline *old = NULL, *new = NULL;
	struct diag d = { 0 };
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status;
	if (p.noperands != 2)
		return command_misuse(c, "two reports are compared, as -f json writes them");
	if (baseline_read(p.operands[0], &old, &d) == ST_OK &&
	    baseline_read(p.operands[1], &new, &d) == ST_OK) {
		status = compare(&own, old, new);
	} else {
		talk_error("%s", d.message);
		status = EXIT_TROUBLE;
	}
	baseline_free(old);
	baseline_free(new);
	return status;
}

const struct command cmd_diff = {
	.name = "diff",
	.usage = "[OPTIONS] OLD.json NEW.json",
	.summary = "what came and went between two reports",
	.details =
		"Reports are what -f json writes. Findings are the same that have one fingerprint: the\n"
		"same is done in the same functions to the same variables or locks, on whatever lines.\n"
		"The status is 1 when something is new.\n",
	.options = diff_options,
	.take = take,
	.run = diff_command,
};
