#include "cli/completion.h"

#include "cli/command.h"
#include "cli/option.h"

/* Between single quotes; the characters of `special', which mean something to the shell's own functions there, get
 * a backslash. */
static void quoted(const char *text, const char *special, const char *quote, FILE *to)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs(quote, to);
			continue;
		}
		if (strchr(special, *text))
			putc('\\', to);
		putc(*text, to);
	}
}

/* ---- bash ---- */

static void bash_options(const struct command *c, FILE *to)
{
	fprintf(to, "\t%s) options='--help", c->name);
	for (const struct option_def *o = c->options; o->id; o++)
		fprintf(to, " --%s", o->name);
	fputs("' ;;\n", to);
}

static void bash_print(FILE *to)
{
	fputs("# bash completion for foresee; made by 'foresee help --completion bash'\n"
	      "_foresee() {\n\tlocal word=${COMP_WORDS[COMP_CWORD]} options=\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '",
	      to);
	for (const struct command *const *c = command_table; *c; c++)
		fprintf(to, "%s%s", c == command_table ? "" : " ", (*c)->name);
	fputs(" --help --version' -- \"$word\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n",
	      to);
	for (const struct command *const *c = command_table; *c; c++)
		bash_options(*c, to);
	fputs("\tesac\n\tcase $word in\n\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
	      "\t*) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n\tesac\n}\n"
	      "complete -o filenames -F _foresee foresee\n",
	      to);
}

/* ---- zsh ---- */

#define ZSH_QUOTE "'\\''"

static void zsh_option(const struct option_def *o, FILE *to)
{
	if (o->letter)
		fprintf(to, " \\\n\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name,
			o->letter, o->value ? "+" : "", o->name, o->value ? "=" : "");
	else
		fprintf(to, " \\\n\t\t\t'--%s%s[", o->name, o->value ? "=" : "");
	quoted(o->help, "[]:\\", ZSH_QUOTE, to);
	fputs("]", to);
	if (o->value) {
		putc(':', to);
		quoted(o->value, "[]:\\", ZSH_QUOTE, to);
		fputs(":_files", to);
	}
	putc('\'', to);
}

static void zsh_print(FILE *to)
{
	fputs("#compdef foresee\n# made by 'foresee help --completion zsh'\n"
	      "_foresee() {\n\tlocal -a commands\n\tcommands=(\n",
	      to);
	for (const struct command *const *c = command_table; *c; c++) {
		fprintf(to, "\t\t'%s:", (*c)->name);
		quoted((*c)->summary, ":\\", ZSH_QUOTE, to);
		fputs("'\n", to);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tlocal name=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $name in\n",
	      to);
	for (const struct command *const *c = command_table; *c; c++) {
		fprintf(to,
			"\t%s)\n\t\t_arguments -S '(-h --help)'{-h,--help}'[print this and leave]'",
			(*c)->name);
		for (const struct option_def *o = (*c)->options; o->id; o++)
			zsh_option(o, to);
		fputs(" \\\n\t\t\t'*:file:_files'\n\t\t;;\n", to);
	}
	fputs("\tesac\n}\n_foresee \"$@\"\n", to);
}

/* ---- fish ---- */

#define FISH_QUOTE "\\'"

static void fish_command(const struct command *c, FILE *to)
{
	fprintf(to, "complete -c foresee -n __fish_use_subcommand -f -a %s -d '", c->name);
	quoted(c->summary, "\\", FISH_QUOTE, to);
	fputs("'\n", to);
	for (const struct option_def *o = c->options; o->id; o++) {
		fprintf(to, "complete -c foresee -n '__fish_seen_subcommand_from %s'", c->name);
		if (o->letter)
			fprintf(to, " -s %c", o->letter);
		fprintf(to, " -l %s%s -d '", o->name, o->value ? " -r" : "");
		quoted(o->help, "\\", FISH_QUOTE, to);
		fputs("'\n", to);
	}
}

static void fish_print(FILE *to)
{
	fputs("# fish completion for foresee; made by 'foresee help --completion fish'\n", to);
	for (const struct command *const *c = command_table; *c; c++)
		fish_command(*c, to);
}

bool completion_print(const char *shell, FILE *to)
{
	static const struct {
		const char *name;
		void (*print)(FILE *to);
	} shells[] = { { "bash", bash_print }, { "zsh", zsh_print }, { "fish", fish_print } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].print(to);
			return true;
		}
	return false;
}
