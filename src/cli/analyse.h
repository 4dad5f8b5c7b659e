/*
 * Analyses of traces on behalf of commands: options, the report.  How a trace is looked at is in
 * cli/pass.h; one that does not fit in memory is looked at window by window (recording/windows.h).
 */
#ifndef CLI_ANALYSE_H
#define CLI_ANALYSE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/vec.h"
#include "cli/book.h"
#include "monitor/monitor.h"
#include "predict/engine.h"

struct explain_options;
struct notify;
struct option_parser;
struct suppress;

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

#define ANALYSE_ENGINES 32
#define ANALYSE_HURRY 2.0 /* seconds */
#define ANALYSE_ENOUGH 1  /* no more shall be read */
#define ANALYSE_READ 2	  /* nor is it: what is left of the time is for the search */

struct analyse {
	const struct engine *engines[ANALYSE_ENGINES]; /* empty: the default */
	size_t nengines;
	struct engine_options engine;
	uint64_t from_cut, to_cut; /* --cuts: only what lies between */
	bool json, quiet, verbose, lenient;
	bool by_default; /* the analyses are those that fit what is given */
	int expected;	 /* --expect-status; -1 none */
	bool hurry;	 /* the user has lost patience: ANALYSE_HURRY seconds are left */
	volatile sig_atomic_t *enough; /* with hurry, ANALYSE_ENOUGH; or NULL */
	bool shortened;		       /* with hurry: only the first part is looked at */
	bool spooled;		       /* the report goes to `output' when it is whole */
	bool passing; /* the trace goes away with us: nobody shall be told to read it */
	const char *output, *witness_dir;
	const char *on_finding;	   /* or NULL */
	struct notify *notify;	   /* runs it, from analyse_begin to analyse_finish */
	struct suppress *suppress; /* owned */
	const char *spec_path;	   /* or NULL */
	VEC(const char *) plugins;
	struct spec *spec;	  /* owned; or NULL */
	struct monitors monitors; /* of the spec and the plug-ins, from analyse_begin on */
	FILE *to;
	/* Of the next trace, what was found in it while it was recorded (cli/live.h). */
	struct book_content earlier;
};

void analyse_init(struct analyse *a);
void analyse_release(struct analyse *a);

/* One of the rows above.  False after a message. */
bool analyse_option(struct analyse *a, const struct option_parser *p, int id, const char *value);

/* After the options (and `quiet'): opens the output, makes the directory, makes ready for
 * --on-finding.  Refuses an output that is one of the n inputs.  False after a message. */
bool analyse_begin(struct analyse *a, char *const *inputs, int n);

/* Analyses one trace ("-": standard input) and reports.  The status to leave with. */
int analyse_trace(struct analyse *a, const char *path);

/* The spec asks about reads, which are recorded once where nothing changes between: all are needed.
 * After analyse_begin. */
bool analyse_wants_full(const struct analyse *a);

/* A copy with those of the analyses that build lattices, or with the others.  How many they are.
 * What `a' owns it goes on to own. */
size_t analyse_select(const struct analyse *a, bool lattice, struct analyse *out);

/* How findings are told in text. */
void analyse_style(const struct analyse *a, struct explain_options *out);

/* Of two traces, or of a trace and the writing of its report, the status that counts. */
int analyse_worse(int a, int b);

/* Closes the output, waits for commands of --on-finding.  status, or 2 with a message when something could not be written. */
int analyse_finish(struct analyse *a, int status);

/* For --help: the analyses, from the table. */
void analyse_list(FILE *to);

#endif /* CLI_ANALYSE_H */
