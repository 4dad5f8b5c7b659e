#include "cli/command.h"

#include "base/near.h"
#include "cli/analyse_options.h"
#include "cli/input.h"
#include "cli/project.h"
#include "cli/session_options.h"
#include "cli/topic.h"
#include "finding/suppress.h"

const struct command *const command_table[] = {
	&cmd_run,     &cmd_record, &cmd_observe, &cmd_check, &cmd_verify, &cmd_replay,
	&cmd_explore, &cmd_guard,  &cmd_spec,	 &cmd_print, &cmd_stats,  &cmd_export,
	&cmd_diff,    &cmd_config, &cmd_help,	 NULL,
};

const struct command *command_find(const char *name)
{
	const char *names[32];
	const char *near;
	char all[256] = "";
	size_t n = 0;

	for (size_t i = 0; command_table[i]; i++) {
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
		names[n++] = command_table[i]->name;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), " %s",
			 command_table[i]->name);
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

/* ---- the project's settings ---- */

/* Not if the command line says otherwise. */
static bool is_wanted(const struct command *c, const struct option_parser *p, const char *name)
{
	for (const struct option_def *o = p->table; o->id; o++)
		if (o->name && strcmp(o->name, name) == 0)
			return !(p->given >> (o - p->table) & 1) &&
			       (c->project == PROJECT_ALL || o->chooses);
	return c->project == PROJECT_ALL;
}

/* As if it stood in the command line. */
static bool project_option(const struct command *c, const struct option_parser *p, const char *path,
			   const struct project_setting *s)
{
	struct option_parser one = *p;
	STRBUF_SCOPED word = { 0 };
	char *argv[] = { (char *)c->name, NULL };
	const char *value;
	int id;

	strbuf_addf(&word, "--%s%s%s", s->name, s->value ? "=" : "", s->value ? s->value : "");
	argv[1] = mem_strdup(strbuf_str(&word)); /* what it is stored as outlives us */
	one.chosen = NULL;			 /* the next command reads the file as well */
	option_begin(&one, c->name, c->options, 2, argv);
	while ((id = option_next(&one, &value)) > OPTION_DONE && take(c, &one, id, value))
		;
	if (id != OPTION_DONE)
		talk_more("that is on line %" PRIu32 " of '%s'", s->line, path);
	return id == OPTION_DONE;
}

static bool project_rules(struct analyse *a, const struct project *own)
{
	struct suppress *s;
	struct diag d = { 0 };

	if (own->nrules == 0)
		return true;
	if (suppress_parse(own->rules.at, own->rules.n, own->path, &s, &d) != ST_OK) {
		talk_error("%s", d.message);
		return false;
	}
	suppress_join(&a->suppress, s);
	return true;
}

static bool project_options(const struct command *c, const struct option_parser *p)
{
	struct project own = { 0 };
	struct diag d = { 0 };
	bool good = project_find(&own, &d) == ST_OK;

	if (!good)
		talk_error("%s", d.message);
	for (size_t i = 0; i < own.at.n && good; i++)
		if (is_wanted(c, p, own.at.at[i].name))
			good = project_option(c, p, own.path, &own.at.at[i]);
	good = good && project_rules(p->into[OPTION_ANALYSE], &own);
	project_release(&own);
	return good;
}

bool command_options(const struct command *c, struct option_parser *p, int argc, char **argv,
		     int *status)
{
	struct analyse *a = p->into[OPTION_ANALYSE];
	const char *value;
	int id;

	*status = EXIT_TROUBLE;
	p->chosen = a ? &a->chosen : NULL;
	option_begin(p, c->name, c->options, argc, argv);
	while ((id = option_next(p, &value)) > OPTION_DONE)
		if (!take(c, p, id, value))
			return false;
	if (id == OPTION_HELP) {
		command_help(c, stdout);
		*status = EXIT_FINE;
	}
	return id == OPTION_DONE && (!c->project || project_options(c, p));
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
	for (size_t i = 0; command_table[i]; i++)
		fprintf(to, "  %-8s %s\n", command_table[i]->name, command_table[i]->summary);
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
