#include "launch/made.h"

#include <unistd.h>

#include "launch/launch.h"
#include "launch/program.h"
#include "monitor/watch.h"

void made_release(struct made *m)
{
	if (m->path)
		unlink(m->path);
	if (m->directory)
		rmdir(m->directory);
	MEM_FREE_ALL(m->path, m->directory);
	*m = (struct made){ 0 };
}

static enum status made_directory(struct made *m, struct diag *d)
{
	const char *where = getenv("TMPDIR");
	struct strbuf b = { 0 };

	strbuf_addf(&b, "%s/foresee-run.XXXXXX", where && *where ? where : "/tmp");
	if (!mkdtemp(b.at)) {
		diag_set(d, "cannot make a temporary directory '%s': %s", b.at, strerror(errno));
		strbuf_release(&b);
		return ST_IO;
	}
	m->directory = b.at;
	return ST_OK;
}

/* Runs the driver that lies beside us: foresee-cc SOURCE -o PATH.  Functions that the spec has events
 * for tell of their calls. */
static enum status compile(const char *driver, const char *source, const char *level, char *path,
			   const struct spec *spec, struct diag *d)
{
	struct strbuf file = { 0 }, calls = { 0 };
	char optimise[] = "-O?";
	char *argv[] = { (char *)driver, "-g", optimise, "-pthread", "-o", path, NULL, NULL, NULL };
	struct launch l = { .path = driver, .argv = argv };
	struct launch_end end = { 0 };
	enum status st;

	assert(level[0] && !level[1]);
	optimise[2] = level[0];
	if (access(driver, X_OK) != 0)
		return diag_fail(d, ST_IO, "cannot find the compiler driver '%s'", driver);
	/* A source named like an option stays a file. */
	strbuf_addf(&file, "%s%s", source[0] == '-' ? "./" : "", source);
	strbuf_adds(&calls, "--foresee-calls=");
	if (spec)
		watch_calls(spec, &calls);
	argv[6] = calls.at;
	argv[7] = file.at;
	st = launch_program(&l, &end, d);
	strbuf_release(&file);
	strbuf_release(&calls);
	if (st == ST_OK && end.status != 0) {
		diag_set(d,
			 "'%s' does not compile; if it needs options, build it with %s, and run"
			 " the program",
			 source, strrchr(driver, '/') + 1);
		st = ST_BAD_INPUT;
	}
	return st;
}

static enum status made_compile(struct made *m, const char *source, const char *level,
				const struct spec *spec, struct diag *d)
{
	const char *dot = strrchr(source, '.'), *slash = strrchr(source, '/');
	const char *base = slash ? slash + 1 : source;
	char *own = program_own_directory();
	struct strbuf driver = { 0 }, path = { 0 };
	enum status st = made_directory(m, d);

	if (st == ST_OK) {
		strbuf_addf(&path, "%s/%.*s", m->directory, (int)(dot - base), base);
		m->path = path.at;
		strbuf_addf(&driver, "%s/%s", own,
			    strcmp(dot, ".c") == 0 ? "foresee-cc" : "foresee-c++");
		st = compile(driver.at, source, level, m->path, spec, d);
	}
	strbuf_release(&driver);
	mem_free(own);
	return st;
}

enum status made_prepare(struct made *m, char **argv, const char *level, const struct spec *spec,
			 struct diag *d)
{
	enum status st;

	if (!program_is_source(argv[0]) || access(argv[0], X_OK) == 0)
		return ST_OK;
	if (access(argv[0], R_OK) != 0)
		return diag_fail(d, ST_IO, "cannot read '%s': %s", argv[0], strerror(errno));
	st = made_compile(m, argv[0], level, spec, d);
	if (st == ST_OK)
		argv[0] = m->path;
	return st;
}
