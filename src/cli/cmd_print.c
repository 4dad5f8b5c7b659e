#include <string.h>

#include "analyse/spool.h"
#include "base/diag.h"
#include "cli/command.h"
#include "cli/input.h"
#include "export/as_std.h"
#include "monitor/reading.h"
#include "predict/locktree.h"
#include "report/frames.h"
#include "report/lock_trees.h"
#include "report/show.h"
#include "trace/trace.h"
#include "witness/evidence.h"

enum {
	PRINT_STD = 1,
	PRINT_FROM,
	PRINT_TO,
	PRINT_THREAD,
	PRINT_STACKS,
	PRINT_SITES,
	PRINT_LOCK_TREES,
};

static const struct option_def print_options[] = {
	{ PRINT_STD, 0, "std", NULL, "as STD text, or as #fmt 1 text where STD has no words" },
	{ PRINT_FROM, 0, "from", "N", "start at event N" },
	{ PRINT_TO, 0, "to", "N", "stop after event N" },
	{ PRINT_THREAD, 0, "thread", "T", "only events of thread T" },
	{ PRINT_STACKS, 0, "stacks", NULL, "call stacks too" },
	{ PRINT_SITES, 0, "sites", NULL,
	  "the table of places with dependency facts instead of events" },
	{ PRINT_LOCK_TREES, 0, "lock-trees", NULL,
	  "which locks each thread takes inside which, instead of events" },
	INPUT_OPTIONS,
	{ 0 },
};

struct request {
	const char *path, *thread;
	uint64_t from, to;
	bool std, stacks, sites, trees;
	struct input in;
};

static bool is_wanted(const struct request *r, const struct trace *t, const struct event *e)
{
	return e->pos >= r->from &&
	       (!r->thread || strcmp(trace_thread_name(t, e->tid), r->thread) == 0);
}

/* Goes through the trace, a line for each wanted event. */
static enum status print_lines(const struct request *r, struct trace *t, struct diag *d)
{
	struct show s = { .trace = t, .stacks = r->stacks };
	struct strbuf line = { 0 };
	struct event e = { 0 };
	enum status st = ST_OK;

	while (e.pos < r->to && !ferror(stdout) && (st = trace_next(t, &e, d)) == ST_OK) {
		if (!is_wanted(r, t, &e))
			continue;
		strbuf_clear(&line);
		show_event(&s, &e, &line);
		puts(strbuf_str(&line));
	}
	strbuf_release(&line);
	return st;
}

/* Recordings name their places as they go: all is read before the table is shown. */
static enum status print_sites(struct trace *t, struct diag *d)
{
	struct event e;
	enum status st;

	while ((st = trace_next(t, &e, d)) == ST_OK)
		;
	if (st == ST_END)
		show_sites(t, stdout);
	return st;
}

/* ---- lock trees ---- */

/* First pass. */
static enum status read_trees(struct trace *t, struct locktree *trees, struct diag *d)
{
	struct reading r;
	struct step_batch b;
	enum status st = reading_begin(&r, t, NULL, d);

	reading_steps(&r, &(struct step_options){ .recycle = true });
	while (st == ST_OK && (st = reading_next(&r, &b, d)) == ST_OK)
		for (size_t i = 0; i < b.n; i++)
			locktree_step(trees, &b.at[i]);
	reading_close(&r);
	return st;
}

/* The number of the thread that is asked for; 0 none of them, or all. */
static uint32_t find_thread(const struct request *r, const struct trace *t)
{
	for (uint32_t tid = 1; r->thread && tid <= trace_thread_count(t); tid++)
		if (strcmp(trace_thread_name(t, tid), r->thread) == 0)
			return tid;
	return 0;
}

/* Second pass: the names of the locks, as they were when they were taken. */
static enum status print_trees(struct trace *t, const struct lock_trees *l, struct diag *d)
{
	struct evidence_options brief = { .wanted = l->wanted.at,
					  .nwanted = l->wanted.n,
					  .brief = true,
					  .path = frames_variable };
	struct evidence *ev;
	enum status st = evidence_load(t, &brief, &ev, d);

	if (st != ST_OK)
		return st;
	lock_trees_print(l, ev, stdout);
	evidence_free(ev);
	return ST_END;
}

static int trees_twice(const struct request *r, const struct spool *file, struct locktree *trees)
{
	struct input silent = r->in;
	struct trace *t = input_open(file->path, &r->in);
	struct lock_trees l;
	struct diag d = { 0 };
	enum status st;
	uint32_t only;
	int status;

	silent.quiet = true;
	if (!t)
		return EXIT_TROUBLE;
	st = read_trees(t, trees, &d);
	only = find_thread(r, t);
	status = input_close(t, &r->in, st, &d);
	if (status != EXIT_FINE || (r->thread && only == 0))
		return status;
	t = input_open(file->path, &silent);
	if (!t)
		return EXIT_TROUBLE;
	lock_trees_init(&l, trees, only);
	st = print_trees(t, &l, &d);
	lock_trees_release(&l);
	return input_close(t, &silent, st, &d);
}

static int lock_trees(const struct request *r)
{
	struct locktree trees;
	struct spool file;
	int status;

	if (!spool_open(&file, r->path))
		return EXIT_TROUBLE;
	locktree_init(&trees);
	status = trees_twice(r, &file, &trees);
	locktree_release(&trees);
	spool_close(&file);
	return status;
}

/* ---- the command ---- */

static int print(const struct request *r)
{
	struct trace *t = input_open(r->path, &r->in);
	struct diag d = { 0 };
	enum status st;

	if (!t)
		return EXIT_TROUBLE;
	if (r->std)
		st = as_std(t, r->path, r->in.lenient, &d);
	else
		st = r->sites ? print_sites(t, &d) : print_lines(r, t, &d);
	return input_close(t, &r->in, st, &d);
}

static int run(const struct command *c, int argc, char **argv)
{
	struct request r = { .from = 1, .to = UINT64_MAX };
	struct option_parser p;
	const char *value;
	int id, status = EXIT_TROUBLE;

	option_begin(&p, c->name, c->options, argc, argv);
	while ((id = option_next(&p, &value)) != OPTION_DONE) {
		bool good = true;

		switch (id) {
		case PRINT_STD:
			r.std = true;
			break;
		case PRINT_FROM:
			good = option_number(&p, "--from", value, 1, UINT64_MAX, &r.from);
			break;
		case PRINT_TO:
			good = option_number(&p, "--to", value, 1, UINT64_MAX, &r.to);
			break;
		case PRINT_THREAD:
			r.thread = value;
			break;
		case PRINT_STACKS:
			r.stacks = true;
			break;
		case PRINT_SITES:
			r.sites = true;
			break;
		case PRINT_LOCK_TREES:
			r.trees = true;
			break;
		default:
			good = input_option(&r.in, c, id, value, &status);
		}
		if (!good)
			return status;
	}
	if (p.noperands != 1)
		return command_misuse(c, p.noperands ? "more than one trace" : "no trace given");
	if (r.std && (r.from != 1 || r.to != UINT64_MAX || r.thread || r.stacks || r.sites))
		return command_misuse(
			c, "--std prints the whole trace: it does not go with --from, --to, "
			   "--thread, --stacks or --sites");
	if (r.trees && (r.from != 1 || r.to != UINT64_MAX || r.stacks || r.sites || r.std))
		return command_misuse(c, "--lock-trees looks at the whole trace: it goes with "
					 "--thread only");
	r.path = p.operands[0];
	return r.trees ? lock_trees(&r) : print(&r);
}

const struct command cmd_print = {
	.name = "print",
	.usage = "[OPTIONS] TRACE",
	.summary = "show the events of a trace, one a line",
	.details =
		"TRACE is a recording, or STD text; - reads text from standard input. T2:5 is the\n"
		"fifth event of thread T2; versions of memory are named by the event that wrote them.\n",
	.options = print_options,
	.run = run,
};
