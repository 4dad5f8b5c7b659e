/*
 * Analyses of traces on behalf of commands, up to the report.  How a trace is looked at is in
 * analyse/pass.h; one that does not fit in memory is looked at window by window (recording/windows.h).
 */
#ifndef ANALYSE_ANALYSE_H
#define ANALYSE_ANALYSE_H

#include <signal.h>

#include "analyse/book.h"
#include "monitor/monitor.h"
#include "predict/engine.h"

struct baseline;
struct explain_options;
struct format;
struct notify;
struct pass;
struct spool;
struct suppress;

#define ANALYSE_ENGINES 32
#define ANALYSE_HURRY 2.0 /* seconds */
#define ANALYSE_ENOUGH 1  /* no more shall be read */
#define ANALYSE_READ 2	  /* nor is it: what is left of the time is for the search */

struct analyse {
	const struct engine *engines[ANALYSE_ENGINES]; /* empty: the default */
	size_t nengines;
	struct engine_options engine;
	uint64_t from_cut, to_cut; /* --cuts: only what lies between */
	struct texts atomic;	   /* --atomic: functions that are meant to be atomic */
	bool knowledge;		   /* there are mttl properties to judge */
	bool json, html, quiet, verbose, lenient;
	bool plain_moves; /* --plain-moves: none that was recorded with --valgrind is an atomic */
	bool bare;	  /* --no-source: no lines of the program's source */
	const struct format *format; /* another than text, JSON and pages; or NULL */
	uint32_t rendered;	     /* reports so far */
	bool by_default;	     /* the analyses are those that fit what is given */
	int expected;		     /* --expect-status; -1 none */
	bool hurry; /* the user has lost patience: ANALYSE_HURRY seconds are left */
	volatile sig_atomic_t *enough; /* with hurry, ANALYSE_ENOUGH; or NULL */
	bool shortened;		       /* with hurry: only the first part is looked at */
	bool spooled;		       /* the report goes to `output' when it is whole */
	bool passing; /* the trace goes away with us: nobody shall be told to read it */
	const char *output, *witness_dir;
	const char *on_finding;	   /* or NULL */
	struct notify *notify;	   /* runs it, from analyse_begin to analyse_finish */
	struct suppress *suppress; /* owned */
	struct baseline *baseline; /* owned; or NULL */
	const char *spec_path;	   /* or NULL */
	struct texts chosen;	   /* words of the command line that decide what is found */
	char *const *compiled;	   /* as in struct report */
	VEC(const char *) plugins;
	struct spec *spec;	  /* owned; or NULL */
	struct monitors monitors; /* of the spec and the plug-ins, from analyse_begin on */
	FILE *to;
	/* Instead of a report, of each trace: what was found, while it is there.  The status to leave
	 * with.  NULL: there is a report. */
	int (*take)(void *arg, const struct pass *p);
	void *take_arg;
	/* Before the report, of each trace: more may be said of what was found.  Or NULL. */
	void (*confirm)(void *arg, struct pass *p);
	void *confirm_arg;
	/* Of the next trace, what was found in it while it was recorded (live/live.h). */
	struct book_content earlier;
};

/* That we may use. */
unsigned analyse_processors(void);

void analyse_init(struct analyse *a);
void analyse_release(struct analyse *a);

/* One more analysis, unless it is there. */
void analyse_add(struct analyse *a, const struct engine *e);
/* Those of a user who names none. */
void analyse_add_usual(struct analyse *a);

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

/* How many events of a model fit, by the memory that is free now or FORESEE_MEMORY (MiB); 0: any number. */
uint32_t analyse_limit(void);
/* How many a window should hold that is one of many (recording/windows.h). */
uint32_t analyse_window(void);

/* A report, as JSON, in the form that was asked for. */
void analyse_format(struct analyse *a, const char *report, size_t n);

/* People read it as it comes: headings and messages between reports have a place there. */
static inline bool analyse_is_text(const struct analyse *a)
{
	return !a->json && !a->format && !a->html;
}

/* How findings are told in text. */
struct explain_options analyse_style(const struct analyse *a);

/* Of two traces, or of a trace and the writing of its report, the status that counts. */
int analyse_worse(int a, int b);

/* Closes the output, waits for commands of --on-finding.  status, or 2 with a message when something could not be written. */
int analyse_finish(struct analyse *a, int status);

/* ---- between analyse.c and analyse_windows.c ---- */

/* Prints the findings of p and those kept, and what else there is to do with them.  The status to
 * leave with. */
int analyse_report(struct pass *p, const struct kept_list *kept);
/* Says why there is no report.  The status to leave with. */
int analyse_failed(const struct spool *file, struct diag *d);
/* False: it fits in memory, or is no recording.  Else *status is the status to leave with. */
bool analyse_in_windows(struct analyse *a, const struct spool *file, int *status);

#endif /* ANALYSE_ANALYSE_H */
