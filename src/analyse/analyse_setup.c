/* What goes before and after the analysis of traces: engines, specs, where reports go. */
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "analyse/notify.h"
#include "analyse/spool.h"
#include "finding/suppress.h"
#include "monitor/mttl.h"
#include "report/baseline.h"
#include "report/format.h"

unsigned analyse_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0
		       ? (unsigned)CPU_COUNT(&set)
		       : 1;
}

void analyse_init(struct analyse *a)
{
	memset(a, 0, sizeof(*a));
	a->engine.jobs = analyse_processors();
	a->expected = -1;
	a->to = stdout;
}

void analyse_release(struct analyse *a)
{
	suppress_free(a->suppress);
	baseline_free(a->baseline);
	monitors_release(&a->monitors);
	spec_free(a->spec);
	VEC_RELEASE(&a->plugins);
	texts_release(&a->atomic);
	texts_release(&a->chosen);
	book_content_release(&a->earlier);
	notify_end(a->notify);
}

/* ---- engines ---- */

static bool has(const struct analyse *a, const struct engine *e)
{
	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i] == e)
			return true;
	return false;
}

void analyse_add(struct analyse *a, const struct engine *e)
{
	if (has(a, e))
		return;
	if (a->nengines == ANALYSE_ENGINES)
		BUG("more engines than there is room for");
	a->engines[a->nengines++] = e;
}

static void remove_engine(struct analyse *a, const struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i] != e)
			a->engines[n++] = a->engines[i];
	a->nengines = n;
}

void analyse_add_usual(struct analyse *a)
{
	a->by_default = true;
	for (const struct engine *const *e = engine_table; *e; e++)
		if ((*e)->usual)
			analyse_add(a, *e);
}

/* ---- the spec ---- */

static bool uses_lattice(const struct analyse *a)
{
	for (size_t i = 0; i < a->nengines; i++)
		if (a->engines[i]->aim == ENGINE_PROPERTIES)
			return true;
	return false;
}

static bool load_monitors(struct analyse *a)
{
	struct diag d = { 0 };

	if (monitors_read(a->spec_path, a->plugins.at, a->plugins.n, &a->spec, &a->monitors, &d) !=
	    ST_OK) {
		talk_error("%s", d.message);
		return false;
	}
	if (mttl_count(a->spec)) {
		struct know_program *p;

		if (mttl_compile(a->spec, &p, &d) != ST_OK) {
			talk_error("%s", d.message);
			return false;
		}
		mem_free(p);
		a->knowledge = true;
	}
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
	if (a->by_default && a->monitors.n)
		analyse_add(a, &engine_property);
	/* Who gives a spec and hears of no violation takes the program for right. */
	if ((has(a, &engine_property) || (given && a->by_default)) && a->monitors.n == 0 &&
	    mttl_count(a->spec) == 0) {
		talk_error(given ? "nothing to check: no property that can be monitored in '%s'"
				 : "the analysis 'property' needs properties: give --spec FILE%s",
			   a->spec_path ? a->spec_path
			   : given	? a->plugins.at[0]
					: "");
		return false;
	}
	/* What is judged on the recorded run needs no lattice. */
	if (a->monitors.n == 0 && mttl_count(a->spec))
		remove_engine(a, &engine_property);
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
	if (given && mttl_count(a->spec) == 0)
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
	STRBUF_SCOPED dir = { 0 };
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (stat(path, &st) == 0)
		return access(path, W_OK) == 0;
	strbuf_add(&dir, path, slash ? (size_t)(slash + 1 - path) : 0);
	return access(dir.n ? strbuf_str(&dir) : ".", W_OK | X_OK) == 0;
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
	if (a->nengines == 0)
		analyse_add_usual(a);
	if (!settle_spec(a))
		return false;
	if (a->witness_dir && !(make_directory(a->witness_dir) && is_writable(a->witness_dir)))
		return false;
	if (!open_output(a, inputs, n))
		return false;
	if (a->format && a->format->begin)
		a->format->begin(a->to);
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
			talk_more("rule '%s' (line %u) has hidden nothing", r.text, r.line);
	}
}

/* A file beside the output, with its rights, or those of any new file; NULL: none can be made there. */
static FILE *beside_open(const char *output, struct strbuf *path)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	strbuf_addf(path, "%s.XXXXXX", output);
	fd = mkostemp(path->at, O_CLOEXEC);
	if (fd >= 0 &&
	    fchmod(fd, stat(output, &st) == 0 ? st.st_mode & 07777 : 0666 & ~mask) != 0) {
		close(fd);
		unlink(path->at);
		fd = -1;
	}
	return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static bool copy_all(FILE *from, FILE *to)
{
	char piece[1 << 14];
	bool good = fflush(from) == 0;
	size_t n;

	rewind(from);
	while (good && (n = fread(piece, 1, sizeof(piece), from)) > 0)
		good = fwrite(piece, 1, n, to) == n;
	good = good && !ferror(from);
	return fclose(to) == 0 && good;
}

/*
 * The report is whole.  It goes into a file beside its own, which then takes its place: a full disk leaves
 * the old one, never half of the new.  A link stays one: what it points to is replaced.  Where nothing can be
 * made beside it the file itself is written.  False, errno set: it did not go there.
 */
static bool copy_output(struct analyse *a)
{
	char *real = realpath(a->output, NULL);
	const char *name = real ? real : a->output;
	STRBUF_SCOPED path = { 0 };
	FILE *to = beside_open(name, &path);
	bool good;

	a->spooled = false;
	if (to) {
		good = copy_all(a->to, to) && rename(path.at, name) == 0;
		if (!good) {
			int error = errno;

			unlink(path.at);
			errno = error;
		}
	} else {
		to = fopen(name, "we");
		good = to && copy_all(a->to, to);
	}
	free(real);
	return good;
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
	if (a->format && a->format->end)
		a->format->end(a->to);
	status = close_output(a, status); /* the report first: commands may take a while */
	notify_end(a->notify);
	a->notify = NULL;
	return status;
}
