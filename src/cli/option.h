/*
 * Command lines from tables: one table of options gives the parsing, the
 * --help text and the messages about mistakes.
 *
 * Long options take `--name value' or `--name=value', short ones `-o value'
 * or `-ovalue'; `--' ends the options.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "base/common.h"

struct option_def {
	int id; /* from 1, by name in each row: the last members may be left out; 0 ends a table */
	char letter; /* 0: none */
	const char *name;
	const char *value; /* what it takes, for --help; NULL: nothing */
	const char *help;
	/* Of OPTION_NUMBER. */
	size_t width;
	uint64_t low, high;
	bool chooses; /* a later command that is to mean the same findings has to be given it, too */
};

/* Structs that options go into: the command's own, and those that several commands share. */
enum option_into { OPTION_OWN, OPTION_INPUT, OPTION_ANALYSE, OPTION_SESSION, OPTION_INTOS };

/* The row of an option that goes into a member of such a struct begins so: without a value it sets a
 * bool there, with one a const char *. */
#define OPTION_IN(into, type, member) .id = OPTION_ROOM * (1 + (into)) + (int)offsetof(type, member)
#define OPTION_AT(type, member) OPTION_IN(OPTION_OWN, type, member)
#define OPTION_ROOM 10000 /* above all other ids, and offsets */
/* What follows the help of an option whose value is a number for an unsigned member. */
#define OPTION_NUMBER(type, member, low, high) sizeof(((type *)0)->member), low, high

#define OPTION_DONE 0	/* no more options */
#define OPTION_BAD (-1) /* a message was printed; leave with 2 */
#define OPTION_HELP (-2)

struct option_parser {
	const char *command;
	const struct option_def *table;
	int argc;
	char **argv; /* of the command: argv[0] is its name */
	/* The caller's, before option_begin. */
	void *into[OPTION_INTOS];
	bool program;	      /* the first operand starts a program's command line: stop there */
	struct texts *chosen; /* words of a command line: those that `choose', as given; or NULL */
	/* Results. */
	uint64_t given; /* rows of the table that stand in the command line, a bit each */
	int noperands;
	char **operands; /* within argv, reordered */
	/* Private. */
	int at;
	const char *bundle; /* rest of -abc */
	const struct option_def *found;
};

/* Operands end up in p->operands; valid once OPTION_DONE is returned. */
void option_begin(struct option_parser *p, const char *command, const struct option_def *table,
		  int argc, char **argv);
/* The id of the next option that is not OPTION_IN, with its value, or one of OPTION_*. */
int option_next(struct option_parser *p, const char **value);

/* The value of the option at hand as a number within [low, high], or a message and false.  The message
 * ends in what else it may be: ", or all". */
bool option_number(const struct option_parser *p, const char *text, const char *other, uint64_t low,
		   uint64_t high, uint64_t *out);

/* Bytes within [low, UINT64_MAX], as a number with K, M, G or T behind it, or a message and false. */
bool option_size(const struct option_parser *p, const char *text, uint64_t low, uint64_t *out);

/* An option that chooses, as if it had stood in the command line. */
void option_choose(struct texts *chosen, char letter, const char *name, const char *value);

/* One line per option. */
void option_help(const struct option_def *table, FILE *to);

#endif /* CLI_OPTION_H */
