/*
 * The manual: on a terminal the man page, found from where the executable
 * lies (PREFIX/bin, or bin of a build tree); otherwise plain text made from
 * the option tables.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/topic.h"
#include "launch/program.h"

struct help {
	bool plain;
	const char *completion; /* of that shell; or NULL */
};

static const struct option_def help_options[] = {
	{ OPTION_AT(struct help, plain), 0, "plain", NULL, "plain text, even on a terminal" },
	{ OPTION_AT(struct help, completion), 0, "completion", "SHELL",
	  "a script for bash, zsh or fish that completes command lines" },
	{ 0 },
};

/* Returns only when man could not be run. */
static void show_page(const char *page)
{
	char *directory = program_own_directory();
	char path[PATH_MAX];
	struct stat st;
	int n;

	n = snprintf(path, sizeof(path), "%s/../share/man/man1/%s.1", directory, page);
	mem_free(directory);
	if (n < 0 || (size_t)n >= sizeof(path) || stat(path, &st) != 0)
		return;
	execlp("man", "man", "-l", path, (char *)NULL);
}

static void list_topics(FILE *to)
{
	fputs("topics\n", to);
	topic_list(to);
}

static int help_command(const struct command *c, int argc, char **argv)
{
	const struct command *about = NULL;
	const struct topic *topic;
	struct help h = { .plain = !isatty(STDOUT_FILENO) };
	struct option_parser p = { .into = { [OPTION_OWN] = &h } };
	char page[64];
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status;
	if (h.completion && !completion_print(h.completion, stdout))
		return command_misuse(c, "no completion for '%s': bash, zsh or fish", h.completion);
	if (h.completion)
		return EXIT_FINE;
	if (p.noperands > 1)
		return command_misuse(c, "more than one command");
	if (p.noperands == 1) {
		topic = topic_find(p.operands[0]);
		if (topic) {
			fputs(topic->text, stdout);
			return EXIT_FINE;
		}
		about = command_find(p.operands[0]);
		if (!about)
			return EXIT_TROUBLE;
	}
	snprintf(page, sizeof(page), about ? "foresee-%s" : "foresee", about ? about->name : "");
	if (!h.plain)
		show_page(page);
	if (about)
		command_help(about, stdout);
	else
		command_overview(stdout);
	return EXIT_FINE;
}

const struct command cmd_help = {
	.name = "help",
	.usage = "[COMMAND|TOPIC]",
	.summary = "show the manual",
	.options = help_options,
	.more = list_topics,
	.run = help_command,
};
