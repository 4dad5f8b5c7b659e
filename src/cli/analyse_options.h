/*
 * The options of commands that analyse.
 */
#ifndef CLI_ANALYSE_OPTIONS_H
#define CLI_ANALYSE_OPTIONS_H

#include "analyse/analyse.h"
#include "cli/option.h"

/* Rows for the option tables of commands that analyse. */
enum {
	ANALYSE_FIRST = 301,
	ANALYSE_LIST = ANALYSE_FIRST,
	ANALYSE_FORMAT,
	ANALYSE_OUTPUT,
	ANALYSE_WITNESS_DIR,
	ANALYSE_SUPPRESS,
	ANALYSE_ON_FINDING,
	ANALYSE_SPEC,
	ANALYSE_MONITOR,
	ANALYSE_BREADTH,
	ANALYSE_REPLAY,
	ANALYSE_BASELINE,
	ANALYSE_ATOMIC,
};
#define ANALYSE_MOST_JOBS 1024
#define ANALYSE_FORMATS "text, json, sarif, gcc, markdown or html"
#define ANALYSE_AT(member) OPTION_IN(OPTION_ANALYSE, struct analyse, member)
#define ANALYSE_NUMBER(member, low, high) OPTION_NUMBER(struct analyse, member, low, high)
/* clang-format off */
/* These decide which findings there are, and their numbers. */
#define ANALYSE_CHOICE										\
	{ .id = ANALYSE_LIST, 'a', "analysis", "LIST", "analyses to run, with commas",		\
	  .chooses = true },									\
	{ .id = ANALYSE_SPEC, 's', "spec", "FILE", "properties that every run shall have",		\
	  .chooses = true },									\
	{ .id = ANALYSE_MONITOR, 0, "monitor", "FILE.so",						\
	  "a monitor of your own, a shared object; may be given again", .chooses = true },		\
	{ .id = ANALYSE_BREADTH, 0, "breadth", "N",							\
	  "lattices: cuts of a level to keep; 1: the recorded run alone; default all",		\
	  .chooses = true },									\
	{ .id = ANALYSE_SUPPRESS, 0, "suppress", "FILE",						\
	  "leave out findings that match a rule of FILE", .chooses = true },			\
	{ .id = ANALYSE_ATOMIC, 0, "atomic", "FUNCTION",						\
	  "its calls are meant to be atomic; may be given again", .chooses = true },		\
	{ ANALYSE_AT(engine.infer), 0, "infer", NULL,							\
	  "atomicity: blocks that the program does not mark, too", .chooses = true },		\
	{ ANALYSE_AT(engine.all_blocks), 0, "all-blocks", NULL,					\
	  "and those of them that are hardly meant to be atomic", .chooses = true },		\
	{ ANALYSE_AT(engine.strict), 0, "strict", NULL, "every read keeps its write",		\
	  .chooses = true },									\
	{ ANALYSE_AT(engine.values), 0, "values", NULL,							\
	  "exact: any write of the same value serves a read", .chooses = true },			\
	{ ANALYSE_AT(plain_moves), 0, "plain-moves", NULL,						\
	  "--valgrind: no plain move is an atomic of the source", .chooses = true },		\
	{ ANALYSE_AT(engine.all_pairs), 0, "all-pairs", NULL,						\
	  "every pair or cycle of events, not one for each set of places", .chooses = true },	\
	{ ANALYSE_AT(engine.fork_join), 0, "fork-join", NULL,						\
	  "eraser: ownership passes along fork and join", .chooses = true },			\
	{ ANALYSE_AT(engine.window), 0, "window", "N", "events that a window of the search holds",	\
	  ANALYSE_NUMBER(engine.window, 1, UINT32_MAX), .chooses = true },			\
	{ ANALYSE_AT(engine.budget), 0, "budget", "N", "steps of search for one candidate",	\
	  ANALYSE_NUMBER(engine.budget, 1, UINT64_MAX), .chooses = true },			\
	{ ANALYSE_AT(expected), 0, "expect-status", "N",						\
	  "a program that ends with status N has ended well; 128 + the signal",			\
	  ANALYSE_NUMBER(expected, 0, 255), .chooses = true },					\
	{ ANALYSE_AT(engine.jobs), 0, "jobs", "N", "threads to use; default one per processor",	\
	  ANALYSE_NUMBER(engine.jobs, 1, ANALYSE_MOST_JOBS) }
#define ANALYSE_OPTIONS										\
	ANALYSE_CHOICE,										\
	{ ANALYSE_AT(engine.count), 0, "count", NULL, "lattices: count cuts and runs" },			\
	{ .id = ANALYSE_FORMAT, 'f', "format", "FORMAT", ANALYSE_FORMATS "; default text" },		\
	{ .id = ANALYSE_OUTPUT, 'o', "output", "FILE",						\
	  "where the report goes; default standard output" },					\
	{ ANALYSE_AT(bare), 0, "no-source", NULL, "no lines of the program's source in the report" },	\
	{ .id = ANALYSE_WITNESS_DIR, 0, "witness-dir", "DIR",						\
	  "write the proof of finding N to DIR/N.witness" },					\
	{ .id = ANALYSE_BASELINE, 0, "baseline", "FILE",						\
	  "an earlier report (-f json): only what is new counts" },				\
	{ .id = ANALYSE_ON_FINDING, 0, "on-finding", "CMD",						\
	  "run 'sh -c CMD' for each new finding, which is JSON on its standard input" },		\
	{ ANALYSE_AT(verbose), 'v', "verbose", NULL, "all findings in full, and times; run: each locking pattern" }
/* Of commands that can run the program again. */
#define ANALYSE_REPLAY_OPTION									\
	{ .id = ANALYSE_REPLAY, 0, "replay", NULL,							\
	  "try each finding on the program: it is replayed, or why it is not is said" }
/* clang-format on */

/* One of the rows above that is not OPTION_IN.  False after a message. */
bool analyse_option(struct analyse *a, const struct option_parser *p, int id, const char *value);

/* For --help: the analyses, from the table. */
void analyse_list(FILE *to);

#endif /* CLI_ANALYSE_OPTIONS_H */
