/*
 * The options of commands that analyse.
 */
#ifndef CLI_ANALYSE_OPTIONS_H
#define CLI_ANALYSE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

struct analyse;
struct option_parser;

/* Rows for the option tables of commands that analyse. */
#define ANALYSE_LIST 301
#define ANALYSE_FORMAT 302
#define ANALYSE_OUTPUT 303
#define ANALYSE_WITNESS_DIR 304
#define ANALYSE_SUPPRESS 305
#define ANALYSE_STRICT 306
#define ANALYSE_VALUES 307
#define ANALYSE_ALL_PAIRS 308
#define ANALYSE_FORK_JOIN 309
#define ANALYSE_WINDOW 310
#define ANALYSE_BUDGET 311
#define ANALYSE_JOBS 312
#define ANALYSE_VERBOSE 313
#define ANALYSE_ON_FINDING 314
#define ANALYSE_SPEC 315
#define ANALYSE_MONITOR 316
#define ANALYSE_BREADTH 317
#define ANALYSE_COUNT 318
#define ANALYSE_EXPECT 319
/* clang-format off */
#define ANALYSE_OPTIONS										\
	{ ANALYSE_LIST, 'a', "analysis", "LIST", "analyses to run, with commas; see below" },	\
	{ ANALYSE_SPEC, 's', "spec", "FILE", "properties that every run shall have" },		\
	{ ANALYSE_MONITOR, 0, "monitor", "FILE.so",						\
	  "a monitor of your own, a shared object; may be given again" },			\
	{ ANALYSE_BREADTH, 0, "breadth", "N",							\
	  "lattices: cuts of a level to keep; 1: the recorded run alone; default all" },	\
	{ ANALYSE_COUNT, 0, "count", NULL, "lattices: count cuts and runs" },			\
	{ ANALYSE_FORMAT, 'f', "format", "FORMAT", "text (the default) or json" },		\
	{ ANALYSE_OUTPUT, 'o', "output", "FILE",						\
	  "where the report goes; default standard output" },					\
	{ ANALYSE_WITNESS_DIR, 0, "witness-dir", "DIR",						\
	  "write the proof of finding N to DIR/N.witness" },					\
	{ ANALYSE_SUPPRESS, 0, "suppress", "FILE",						\
	  "leave out findings that match a rule of FILE" },					\
	{ ANALYSE_STRICT, 0, "strict", NULL, "every read keeps its write" },			\
	{ ANALYSE_VALUES, 0, "values", NULL,							\
	  "exact: any write of the same value serves a read" },					\
	{ ANALYSE_ALL_PAIRS, 0, "all-pairs", NULL,						\
	  "every pair or cycle of events, not one for each set of places" },				\
	{ ANALYSE_FORK_JOIN, 0, "fork-join", NULL,						\
	  "eraser: ownership passes along fork and join" },					\
	{ ANALYSE_WINDOW, 0, "window", "N", "events that a window of the search holds" },	\
	{ ANALYSE_BUDGET, 0, "budget", "N", "steps of search for one candidate" },		\
	{ ANALYSE_JOBS, 0, "jobs", "N", "threads to use; default one per processor" },		\
	{ ANALYSE_ON_FINDING, 0, "on-finding", "CMD",						\
	  "run 'sh -c CMD' for each new finding, which is JSON on its standard input" },		\
	{ ANALYSE_EXPECT, 0, "expect-status", "N",						\
	  "a program that ends with status N has ended well; 128 + the signal" },		\
	{ ANALYSE_VERBOSE, 'v', "verbose", NULL, "all findings in full, and times; run: each locking pattern" }
/* clang-format on */

/* One of the rows above.  False after a message. */
bool analyse_option(struct analyse *a, const struct option_parser *p, int id, const char *value);

/* For --help: the analyses, from the table. */
void analyse_list(FILE *to);

#endif /* CLI_ANALYSE_OPTIONS_H */
