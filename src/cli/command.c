#include "cli/command.h"

#include "base/near.h"
#include "cli/analyse_options.h"
#include "cli/input.h"
#include "cli/session_options.h"
#include "cli/topic.h"

/* Ended by NULL. */
static const struct command *const commands[] = {
	&cmd_run,  &cmd_record, &cmd_observe, &cmd_check,  &cmd_verify, &cmd_replay, &cmd_explore,
	&cmd_spec, &cmd_print,	&cmd_stats,   &cmd_export, &cmd_help,	NULL,
};

const struct command *command_find(const char *name)
{
	const char *names[16];
	const char *near;
	char all[256] = "";
	size_t n = 0;

	for (size_t i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
		names[n++] = commands[i]->name;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), " %s", commands[i]->name);
	}
	near = near_find(name, names, n);
	if (near)
		talk_error("unknown command '%s', did you mean '%s'?", name, near);
	else
		talk_error("unknown command '%s'", name);
	talk_more("the commands are:%s", all);
	return NULL;
}

static bool take(const struct command *c, struct option_parser *p, int id, const char *value)
{
	if (id >= ANALYSE_FIRST)
		return analyse_option(p->into[OPTION_ANALYSE], p, id, value);
	if (id >= INPUT_FIRST)
		return input_option(p->into[OPTION_INPUT], id, value);
	if (id >= SESSION_FIRST)
		return session_option(p->into[OPTION_SESSION], p, id, value);
	return c->take(p->into[OPTION_OWN], p, id, value);
}

bool command_options(const struct command *c, struct option_parser *p, int argc, char **argv,
		     int *status)
{
	const char *value;
	int id;

	*status = EXIT_TROUBLE;
	option_begin(p, c->name, c->options, argc, argv);
	while ((id = option_next(p, &value)) > OPTION_DONE)
		if (!take(c, p, id, value))
			return false;
	if (id == OPTION_HELP) {
		command_help(c, stdout);
		*status = EXIT_FINE;
	}
	return id == OPTION_DONE;
}

bool command_trace(const struct command *c, struct option_parser *p, int argc, char **argv,
		   int *status)
{
	if (!command_options(c, p, argc, argv, status))
		return false;
	if (p->noperands != 1)
		*status =
			command_misuse(c, p->noperands ? "more than one trace" : "no trace given");
	return p->noperands == 1;
}

static void print_usage(const struct command *c, FILE *to)
{
	fprintf(to, "usage: foresee %s %s\n", c->name, c->usage);
}

void command_help(const struct command *c, FILE *to)
{
	print_usage(c, to);
	fprintf(to, "\n%s\n", c->summary);
	if (c->details)
		fprintf(to, "\n%s", c->details);
	fprintf(to, "\noptions\n");
	option_help(c->options, to);
	if (c->more) {
		fputc('\n', to);
		c->more(to);
	}
}

void command_overview(FILE *to)
{
	fprintf(to,
		"usage: foresee COMMAND [OPTIONS] [ARGUMENTS]\n\n"
		"record one run of a threaded program, and predict what goes wrong in the others\n\n"
		"commands\n");
	for (size_t i = 0; commands[i]; i++)
		fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "\ntopics of help\n");
	topic_list(to);
	fprintf(to,
		"\n'foresee help COMMAND' shows its manual page, 'foresee COMMAND --help' its options;\n"
		"'foresee --version' the version\n");
}

int command_misuse(const struct command *c, const char *format, ...)
{
	char message[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	talk_error("%s", message);
	fputs("  ", stderr);
	print_usage(c, stderr);
	return EXIT_TROUBLE;
}
