#include "analyse/analyse.h"
#include "analyse/spool.h"
#include "cli/command.h"
#include "cli/input.h"
#include "explore/window_print.h"
#include "export/as_std.h"
#include "monitor/reading.h"
#include "predict/locktree.h"
#include "report/frames.h"
#include "report/lock_trees.h"
#include "report/show.h"
#include "trace/trace.h"
#include "witness/evidence.h"

struct request {
	const char *path, *thread;
	uint64_t from, to;
	bool std, stacks, sites, trees, dependencies;
	struct input in;
};

#define AT(member) OPTION_AT(struct request, member)
#define NUMBER(member) OPTION_NUMBER(struct request, member, 1, UINT64_MAX)
static const struct option_def print_options[] = {
	{ AT(std), 0, "std", NULL, "as STD text, or as #fmt 1 text where STD has no words" },
	{ AT(from), 0, "from", "N", "start at event N", NUMBER(from) },
	{ AT(to), 0, "to", "N", "stop after event N", NUMBER(to) },
	{ AT(thread), 0, "thread", "T", "only events of thread T" },
	{ AT(stacks), 0, "stacks", NULL, "call stacks too" },
	{ AT(sites), 0, "sites", NULL,
	  "the table of places with dependency facts instead of events" },
	{ AT(trees), 0, "lock-trees", NULL,
	  "which locks each thread takes inside which, instead of events" },
	{ AT(dependencies), 0, "dependencies", NULL,
	  "which threads depend on which and why, and the window of each finding, instead of events" },
	INPUT_OPTIONS,
	{ 0 },
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

struct trees {
	const struct request *of;
	struct locktree tree;
	uint32_t only; /* the thread that is asked for; 0 none of them, or all */
};

static uint32_t find_thread(const struct request *r, const struct trace *t)
{
	for (uint32_t tid = 1; r->thread && tid <= trace_thread_count(t); tid++)
		if (strcmp(trace_thread_name(t, tid), r->thread) == 0)
			return tid;
	return 0;
}

/* First pass. */
static enum status read_trees(void *trees, struct trace *t, struct diag *d)
{
	struct trees *l = trees;
	struct reading r;
	struct step_batch b;
	enum status st = reading_begin(&r, t, NULL, d);

	reading_steps(&r, &(struct step_options){ .recycle = true });
	while (st == ST_OK && (st = reading_next(&r, &b, d)) == ST_OK)
		for (size_t i = 0; i < b.n; i++)
			locktree_step(&l->tree, &b.at[i]);
	reading_close(&r);
	l->only = find_thread(l->of, t);
	return st;
}

/* For a second reading, which has nothing new to say. */
static struct input silently(const struct request *r)
{
	struct input in = r->in;

	in.quiet = true;
	return in;
}

/* What events at these positions are of, by the names that it had then. */
static enum status load_names(struct trace *t, const uint64_t *wanted, size_t n,
			      struct evidence **ev, struct diag *d)
{
	struct evidence_options brief = {
		.brief = true, .path = frames_variable, .wanted = wanted, .nwanted = n
	};

	return evidence_load(t, &brief, ev, d);
}

/* Second pass: the names of the locks, as they were when they were taken. */
static enum status print_trees(void *trees, struct trace *t, struct diag *d)
{
	struct trees *x = trees;
	struct lock_trees l;
	struct evidence *ev;
	enum status st;

	lock_trees_init(&l, &x->tree, x->only);
	st = load_names(t, l.wanted.at, l.wanted.n, &ev, d);
	if (st == ST_OK) {
		lock_trees_print(&l, ev, stdout);
		evidence_free(ev);
	}
	lock_trees_release(&l);
	return st;
}

static int lock_trees(const struct request *r)
{
	struct trees trees = { .of = r };
	struct input silent = silently(r);
	struct spool file;
	int status;

	if (!spool_open(&file, r->path))
		return EXIT_TROUBLE;
	locktree_init(&trees.tree);
	status = input_read(file.path, &r->in, read_trees, &trees);
	if (status == EXIT_FINE && (!r->thread || trees.only))
		status = input_read(file.path, &silent, print_trees, &trees);
	locktree_release(&trees.tree);
	spool_close(&file);
	return status;
}

/* ---- dependencies ---- */

struct dependencies {
	const struct request *of;
	struct window_graph graph;
	struct aims aims;
	uint32_t only; /* as in struct trees */
};

/* First pass. */
static enum status read_graph(void *dependencies, struct trace *t, struct diag *d)
{
	struct dependencies *x = dependencies;
	enum status st = window_graph_read(&x->graph, t, d);

	x->only = find_thread(x->of, t);
	return st;
}

/* Then what is found in it. */
static bool find_aims(struct dependencies *x, const char *path)
{
	struct analyse a;
	bool good;

	analyse_init(&a);
	a.quiet = true;
	a.lenient = x->of->in.lenient;
	a.from_cut = x->of->in.from_cut;
	a.to_cut = x->of->in.to_cut;
	good = aims_find(&x->aims, &a, path, &x->graph, NULL);
	analyse_release(&a);
	return good;
}

/* Last pass: the names of objects, as they were. */
static enum status print_graph(void *dependencies, struct trace *t, struct diag *d)
{
	struct dependencies *x = dependencies;
	struct window_print p;
	struct evidence *ev;
	enum status st;

	window_print_init(&p, &x->graph, &x->aims, x->only);
	st = load_names(t, p.wanted.at, p.wanted.n, &ev, d);
	if (st == ST_OK) {
		window_print(&p, ev, stdout);
		evidence_free(ev);
	}
	window_print_release(&p);
	return st;
}

static int dependencies(const struct request *r)
{
	struct dependencies x = { .of = r };
	struct input silent = silently(r);
	struct spool file;
	int status;

	if (!spool_open(&file, r->path))
		return EXIT_TROUBLE;
	status = input_read(file.path, &r->in, read_graph, &x);
	if (status == EXIT_FINE && !find_aims(&x, file.path))
		status = EXIT_TROUBLE;
	if (status == EXIT_FINE && (!r->thread || x.only))
		status = input_read(file.path, &silent, print_graph, &x);
	aims_release(&x.aims);
	window_graph_release(&x.graph);
	spool_close(&file);
	return status;
}

/* ---- the command ---- */

static enum status print(void *request, struct trace *t, struct diag *d)
{
	const struct request *r = request;

	if (r->std)
		return as_std(t, r->path, r->in.lenient, d);
	return r->sites ? print_sites(t, d) : print_lines(r, t, d);
}

static int print_command(const struct command *c, int argc, char **argv)
{
	struct request r = { .from = 1, .to = UINT64_MAX };
	struct option_parser p = { .into = { [OPTION_OWN] = &r, [OPTION_INPUT] = &r.in } };
	int status;

	if (!command_trace(c, &p, argc, argv, &status))
		return status;
	if (r.std && (r.from != 1 || r.to != UINT64_MAX || r.thread || r.stacks || r.sites))
		return command_misuse(
			c, "--std prints the whole trace: it does not go with --from, --to, "
			   "--thread, --stacks or --sites");
	if (r.trees && (r.from != 1 || r.to != UINT64_MAX || r.stacks || r.sites || r.std))
		return command_misuse(c, "--lock-trees looks at the whole trace: it goes with "
					 "--thread only");
	if (r.dependencies &&
	    (r.from != 1 || r.to != UINT64_MAX || r.stacks || r.sites || r.std || r.trees))
		return command_misuse(c, "--dependencies looks at the whole trace: it goes with "
					 "--thread only");
	r.path = p.operands[0];
	if (r.dependencies)
		return dependencies(&r);
	return r.trees ? lock_trees(&r) : input_read(r.path, &r.in, print, &r);
}

const struct command cmd_print = {
	.name = "print",
	.usage = "[OPTIONS] TRACE",
	.summary = "show the events of a trace, one a line",
	.details =
		"TRACE is a recording, or STD text; - reads text from standard input. T2:5 is the\n"
		"fifth event of thread T2; versions of memory are named by the event that wrote them.\n",
	.options = print_options,
	.run = print_command,
};
