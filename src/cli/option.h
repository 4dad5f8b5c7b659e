/*
 * Command lines from tables: one table of options gives the parsing, the
 * --help text and the messages about mistakes.
 *
 * Long options take `--name value' or `--name=value', short ones `-o value'
 * or `-ovalue'; `--' ends the options.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct option_def {
	int id;	     /* from 1; 0 ends a table */
	char letter; /* 0: none */
	const char *name;
	const char *value; /* what it takes, for --help; NULL: nothing */
	const char *help;
};

/* The id of an option that goes into the struct `into': without a value it sets a bool there, with one a
 * const char *. */
#define OPTION_AT(type, member) (OPTION_INTO + (int)offsetof(type, member))
#define OPTION_INTO 1000 /* above all other ids */

#define OPTION_DONE 0	/* no more options */
#define OPTION_BAD (-1) /* a message was printed; leave with 2 */
#define OPTION_HELP (-2)

struct option_parser {
	const char *command;
	const struct option_def *table;
	int argc;
	char **argv;  /* of the command: argv[0] is its name */
	void *into;   /* for OPTION_AT */
	bool program; /* the first operand starts a program's command line: stop there */
	/* Results. */
	int noperands;
	char **operands; /* within argv, reordered */
	/* Private. */
	int at;
	const char *bundle; /* rest of -abc */
};

/* Operands end up in p->operands; valid once OPTION_DONE is returned. */
void option_begin(struct option_parser *p, const char *command, const struct option_def *table,
		  int argc, char **argv);
/* The id of the next option that is not OPTION_AT, with its value, or one of OPTION_*. */
int option_next(struct option_parser *p, const char **value);

/* A number within [low, high], or a message and false. */
bool option_number(const struct option_parser *p, const char *name, const char *text, uint64_t low,
		   uint64_t high, uint64_t *out);
/* ... or something else, which the message ends in: ", or all". */
bool option_number_or(const struct option_parser *p, const char *name, const char *text,
		      const char *other, uint64_t low, uint64_t high, uint64_t *out);

/* Bytes within [low, UINT64_MAX], as a number with K, M, G or T behind it, or a message and false. */
bool option_size(const struct option_parser *p, const char *name, const char *text, uint64_t low,
		 uint64_t *out);

/* One line per option. */
void option_help(const struct option_def *table, FILE *to);

#endif /* CLI_OPTION_H */
