#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/notify.h"
#include "cli/option.h"
#include "cli/spool.h"
#include "cli/talk.h"
#include "finding/suppress.h"

#define MOST_JOBS 1024
#define DEFAULT_ANALYSES "races,deadlocks"

void analyse_init(struct analyse *a)
{
	cpu_set_t set;

	memset(a, 0, sizeof(*a));
	a->engine.jobs = 1;
	a->expected = -1;
	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		a->engine.jobs = (unsigned)CPU_COUNT(&set);
	a->to = stdout;
}

void analyse_release(struct analyse *a)
{
	suppress_free(a->suppress);
	monitors_release(&a->monitors);
	spec_free(a->spec);
	VEC_RELEASE(&a->plugins);
	book_content_release(&a->earlier);
	notify_end(a->notify);
}

/* ---- names of analyses ---- */

void analyse_list(FILE *to)
{
	fprintf(to, "analyses (default: %s, and with --spec property)\n", DEFAULT_ANALYSES);
	for (const struct engine *const *e = engine_table; *e; e++)
		fprintf(to, "  %-12s %s\n", (*e)->name, (*e)->summary);
}

static bool unknown_analysis(const char *name)
{
	const char *names[ANALYSE_ENGINES];
	const char *near;
	size_t n = 0;

	for (const struct engine *const *e = engine_table; *e && n < ANALYSE_ENGINES; e++)
		names[n++] = (*e)->name;
	near = near_find(name, names, n);
	if (near)
		talk_error("unknown analysis '%s', did you mean '%s'?", name, near);
	else
		talk_error("unknown analysis '%s'", name);
	talk_more("the analyses are: default, which is %s, and with --spec property",
		  DEFAULT_ANALYSES);
	for (const struct engine *const *e = engine_table; *e; e++)
		talk_more("  %-12s %s", (*e)->name, (*e)->summary);
	return false;
}

static bool add_engine(struct analyse *a, const char *name)
{
	const struct engine *e = engine_find(name);

	if (!e)
		return unknown_analysis(name);
	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i] == e)
			return true;
	if (a->nengines == ANALYSE_ENGINES)
		BUG("more engines than places for them");
	a->engines[a->nengines++] = e;
	return true;
}

/* Names with commas; `default' stands for several. */
static bool add_engines(struct analyse *a, const char *list)
{
	char *names = mem_strdup(list), *at = names, *name;
	bool good = true;

	while (good && (name = strsep(&at, ",")) != NULL) {
		bool several = strcmp(name, "default") == 0;

		a->by_default |= several;
		good = several ? add_engines(a, DEFAULT_ANALYSES) : add_engine(a, name);
	}
	mem_free(names);
	return good;
}

/* ---- options ---- */

static bool take_format(struct analyse *a, const char *value)
{
	a->json = strcmp(value, "json") == 0;
	if (a->json || strcmp(value, "text") == 0)
		return true;
	if (strcmp(value, "sarif") == 0 || strcmp(value, "html") == 0)
		talk_error("format '%s' is not in this version: expected text or json", value);
	else
		talk_error("unknown format '%s': expected text or json", value);
	return false;
}

static bool take_suppress(struct analyse *a, const char *path)
{
	struct diag d = { 0 };

	if (a->suppress) {
		talk_error("more than one file of suppressions");
		return false;
	}
	if (suppress_read(path, &a->suppress, &d) == ST_OK)
		return true;
	talk_error("%s", d.message);
	return false;
}

static bool take_path(const char *option, const char *value, const char **out)
{
	if (*value == '\0') {
		talk_error("empty file name after --%s", option);
		return false;
	}
	*out = value;
	return true;
}

static bool take_command(struct analyse *a, const char *value)
{
	if (a->on_finding || value[strspn(value, " \t\n")] == '\0') {
		talk_error(a->on_finding ? "more than one command after --on-finding"
					 : "empty command after --on-finding");
		return false;
	}
	a->on_finding = value;
	return true;
}

static bool take_number(struct analyse *a, const struct option_parser *p, int id, const char *value)
{
	uint64_t n;

	switch (id) {
	case ANALYSE_WINDOW:
		if (!option_number(p, "--window", value, 1, UINT32_MAX, &n))
			return false;
		a->engine.window = (uint32_t)n;
		return true;
	case ANALYSE_BUDGET:
		return option_number(p, "--budget", value, 1, UINT64_MAX, &a->engine.budget);
	case ANALYSE_BREADTH:
		if (strcmp(value, "all") == 0) {
			a->engine.breadth = 0;
			return true;
		}
		return option_number_or(p, "--breadth", value, ", or all", 1, UINT64_MAX,
					&a->engine.breadth);
	default:
		if (!option_number(p, "--jobs", value, 1, MOST_JOBS, &n))
			return false;
		a->engine.jobs = (unsigned)n;
		return true;
	}
}

static bool take_status(struct analyse *a, const struct option_parser *p, const char *value)
{
	uint64_t n;

	if (!option_number(p, "--expect-status", value, 0, 255, &n))
		return false;
	a->expected = (int)n;
	return true;
}

bool analyse_option(struct analyse *a, const struct option_parser *p, int id, const char *value)
{
	switch (id) {
	case ANALYSE_LIST:
		return add_engines(a, value);
	case ANALYSE_FORMAT:
		return take_format(a, value);
	case ANALYSE_OUTPUT:
		return take_path("output", value, &a->output);
	case ANALYSE_WITNESS_DIR:
		return take_path("witness-dir", value, &a->witness_dir);
	case ANALYSE_SUPPRESS:
		return take_suppress(a, value);
	case ANALYSE_ON_FINDING:
		return take_command(a, value);
	case ANALYSE_SPEC:
		if (a->spec_path) {
			talk_error("more than one spec: put the properties in one file");
			return false;
		}
		return take_path("spec", value, &a->spec_path);
	case ANALYSE_MONITOR:
		return take_path("monitor", value, VEC_PUSH(&a->plugins));
	case ANALYSE_EXPECT:
		return take_status(a, p, value);
	case ANALYSE_COUNT:
		return a->engine.count = true;
	case ANALYSE_WINDOW:
	case ANALYSE_BUDGET:
	case ANALYSE_BREADTH:
	case ANALYSE_JOBS:
		return take_number(a, p, id, value);
	case ANALYSE_STRICT:
		return a->engine.strict = true;
	case ANALYSE_VALUES:
		return a->engine.values = true;
	case ANALYSE_ALL_PAIRS:
		return a->engine.all_pairs = true;
	case ANALYSE_FORK_JOIN:
		return a->engine.fork_join = true;
	case ANALYSE_VERBOSE:
		return a->verbose = true;
	default:
		BUG("option %d is not of an analysis", id);
	}
}

/* ---- the spec ---- */

static bool uses_lattice(const struct analyse *a)
{
	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i]->lattice)
			return true;
	return false;
}

static bool has(const struct analyse *a, const struct engine *e)
{
	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i] == e)
			return true;
	return false;
}

static bool load_monitors(struct analyse *a)
{
	struct diag d = { 0 };
	enum status st = ST_OK;

	if (a->spec_path)
		st = spec_read(a->spec_path, &a->spec, &d);
	else if (a->plugins.n > 0)
		st = monitors_declared(a->plugins.at, a->plugins.n, &a->spec, &d);
	if (st == ST_OK && a->spec)
		st = monitors_new(a->spec, &a->monitors, &d);
	for (size_t i = 0; st == ST_OK && i < a->plugins.n; i++)
		st = monitors_load(&a->monitors, a->plugins.at[i], &d);
	if (st != ST_OK) {
		talk_error("%s", d.message);
		return false;
	}
	for (uint32_t i = 0; a->spec && i < a->spec->nproperties && !a->quiet; i++)
		if (a->spec->properties[i].body == SPEC_MTTL)
			talk_note("property '%s' is mttl, which is understood but not monitored in "
				  "this version",
				  a->spec->properties[i].name);
	return true;
}

/* What was asked for goes together. */
static bool settle_spec(struct analyse *a)
{
	bool given = a->spec_path || a->plugins.n;

	if (!load_monitors(a))
		return false;
	if (a->monitors.n)
		a->engine.monitors = &a->monitors;
	if (a->by_default && a->monitors.n && !add_engine(a, engine_property.name))
		return false;
	/* Who gives a spec and hears of no violation takes the program for right. */
	if ((has(a, &engine_property) || (given && a->by_default)) && a->monitors.n == 0) {
		talk_error(given ? "nothing to check: no property that can be monitored in '%s'"
				 : "the analysis 'property' needs properties: give --spec FILE%s",
			   a->spec_path ? a->spec_path
			   : given	? a->plugins.at[0]
					: "");
		return false;
	}
	if (uses_lattice(a)) {
		a->engine.count |= !a->engine.monitors; /* what else would one want of it */
		return true;
	}
	if (a->engine.count || a->engine.breadth) {
		talk_error("%s is about lattices, and none is built: give --spec FILE, or "
			   "-a lattice-mvc or -a lattice-weak",
			   a->engine.count ? "--count" : "--breadth");
		return false;
	}
	if (given)
		talk_note("the spec is not used: none of the analyses is about properties");
	return true;
}

bool analyse_wants_full(const struct analyse *a)
{
	const struct spec *s = a->monitors.spec;

	if (!a->engine.monitors || !s)
		return false;
	for (uint32_t i = 0; i < s->nevents; i++)
		if (s->events[i].op == SPEC_READ)
			return true;
	return s->relevant_variables != 0;
}

/* ---- where results go ---- */

/* With all directories above it. */
static bool make_directory(const char *path)
{
	char *copy = mem_strdup(path);
	bool good = true;

	for (char *slash = copy + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
		*slash = '\0';
		mkdir(copy, 0777);
	}
	if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
		talk_error("cannot make the directory '%s': %s", path, strerror(errno));
		good = false;
	}
	mem_free(copy);
	return good;
}

/* Found out now and not after an hour of analysis. */
static bool is_writable(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (access(path, W_OK | X_OK) == 0)
		return true;
	talk_error("cannot write to the directory '%s': %s", path, strerror(errno));
	return false;
}

/* `record -o' names the trace: easily mistaken, and it would be gone. */
static bool is_input(const char *output, char *const *inputs, int n)
{
	struct stat out, in;

	if (stat(output, &out) != 0 || !S_ISREG(out.st_mode))
		return false;
	for (int i = 0; i < n; i++) {
		if (stat(inputs[i], &in) != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
			continue;
		talk_error("the report would overwrite '%s'", inputs[i]);
		return true;
	}
	return false;
}

/* Could the file be written, now that nothing is lost by it? */
static bool may_write(const char *path)
{
	struct strbuf dir = { 0 };
	const char *slash = strrchr(path, '/');
	struct stat st;
	bool may;

	if (stat(path, &st) == 0)
		return access(path, W_OK) == 0;
	strbuf_add(&dir, path, slash ? (size_t)(slash + 1 - path) : 0);
	may = access(dir.n ? strbuf_str(&dir) : ".", W_OK | X_OK) == 0;
	strbuf_release(&dir);
	return may;
}

/* A report on traces goes to its file when it is whole: who ends us before must not find half of it, or
 * nothing.  What comes in pieces, and other things than files, are written as it comes. */
static FILE *spool_output(struct analyse *a)
{
	struct stat st;
	int fd;

	if (stat(a->output, &st) == 0 && !S_ISREG(st.st_mode))
		return fopen(a->output, "we");
	fd = may_write(a->output) ? spool_nameless() : -1;
	a->spooled = fd >= 0;
	return fd >= 0 ? fdopen(fd, "w+") : NULL;
}

static bool open_output(struct analyse *a, char *const *inputs, int n)
{
	if (!a->output)
		return true;
	if (is_input(a->output, inputs, n))
		return false;
	a->to = n > 0 ? spool_output(a) : fopen(a->output, "we");
	if (a->to)
		return true;
	a->to = stdout;
	talk_error("cannot write '%s': %s", a->output, strerror(errno));
	return false;
}

bool analyse_begin(struct analyse *a, char *const *inputs, int n)
{
	if (a->nengines == 0 && !add_engines(a, "default"))
		return false;
	if (!settle_spec(a))
		return false;
	if (a->witness_dir && !(make_directory(a->witness_dir) && is_writable(a->witness_dir)))
		return false;
	if (!open_output(a, inputs, n))
		return false;
	if (a->on_finding)
		a->notify = notify_start(a->on_finding, a->quiet);
	return !a->on_finding || a->notify;
}

/* Trouble, found, a budget ran out, nothing: from bad to good. */
int analyse_worse(int a, int b)
{
	static const int order[] = { EXIT_TROUBLE, EXIT_FOUND, EXIT_LIMIT };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_FINE;
}

static void talk_unused(const struct suppress *s)
{
	for (size_t i = 0; i < suppress_count(s); i++) {
		struct suppress_rule r = suppress_rule(s, i);

		if (!r.used)
			talk_more("rule '%s' (line %" PRIu32 ") has hidden nothing", r.text,
				  r.line);
	}
}

/* The report is whole.  False, errno set: it did not go into its file. */
static bool copy_output(struct analyse *a)
{
	FILE *to = fopen(a->output, "we");
	char piece[1 << 14];
	bool good = to != NULL && fflush(a->to) == 0;
	size_t n;

	a->spooled = false;
	rewind(a->to);
	while (good && (n = fread(piece, 1, sizeof(piece), a->to)) > 0)
		good = fwrite(piece, 1, n, to) == n;
	good = good && !ferror(a->to);
	return to && fclose(to) == 0 && good;
}

static int close_output(struct analyse *a, int status)
{
	bool failed;

	if (a->to == stdout)
		return talk_finish(status);
	errno = 0;
	failed = ferror(a->to) != 0 || (a->spooled && !copy_output(a));
	if (fclose(a->to) != 0 || failed) {
		talk_error("cannot write '%s'%s%s", a->output, errno ? ": " : "",
			   errno ? strerror(errno) : "");
		status = EXIT_TROUBLE;
	}
	a->to = stdout;
	return status;
}

int analyse_finish(struct analyse *a, int status)
{
	if (a->verbose && a->suppress)
		talk_unused(a->suppress);
	status = close_output(a, status); /* the report first: commands may take a while */
	notify_end(a->notify);
	a->notify = NULL;
	return status;
}
