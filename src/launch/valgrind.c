#include "launch/valgrind.h"

#include <unistd.h>

#include "launch/program.h"

#define TOOL "foresee-amd64-linux"
#define CORE "vgpreload_core-amd64-linux.so" /* a link to Valgrind's own */
#define OPTIONS 5u			     /* before the program */

/* The first line of a file, or of what a command says; without its end.  False: there is none. */
static bool first_line(FILE *f, char *line, size_t n)
{
	bool some = f && fgets(line, (int)n, f);

	if (some)
		line[strcspn(line, "\n")] = '\0';
	return some;
}

static bool built_with(const char *directory, char *line, size_t n)
{
	STRBUF_SCOPED path = { 0 };
	bool some;
	FILE *f;

	strbuf_addf(&path, "%s/version", directory);
	f = fopen(strbuf_str(&path), "re");
	some = first_line(f, line, n);
	if (f)
		fclose(f);
	return some;
}

/* "valgrind-3.19.0" */
static bool installed(char *line, size_t n)
{
	FILE *f = popen("valgrind --version 2>/dev/null", "re");
	bool some = first_line(f, line, n);

	return (!f || pclose(f) == 0) && some;
}

/* The tool has Valgrind's core inside; what is preloaded comes from the one that is installed. */
static enum status check(const char *directory, struct diag *d)
{
	STRBUF_SCOPED path = { 0 };
	char built[128], now[128];

	strbuf_addf(&path, "%s/" TOOL, directory);
	if (access(strbuf_str(&path), X_OK) != 0 || !built_with(directory, built, sizeof(built)))
		return diag_fail(d, ST_IO,
				 "foresee was built without Valgrind: install it ('apt-get install "
				 "valgrind') and build foresee again");
	if (!installed(now, sizeof(now)))
		return diag_fail(d, ST_IO,
				 "Valgrind is not installed: 'apt-get install valgrind', of the "
				 "version that foresee was built with, %s",
				 built);
	if (strcmp(now, built) != 0)
		return diag_fail(
			d, ST_IO,
			"the Valgrind here is another one (%s) than foresee was built with (%s): "
			"build foresee again",
			now, built);
	strbuf_clear(&path);
	strbuf_addf(&path, "%s/" CORE, directory);
	if (access(strbuf_str(&path), R_OK) != 0)
		return diag_fail(d, ST_IO,
				 "a part of Valgrind is missing, '%s': install Valgrind whole and "
				 "build foresee again",
				 strbuf_str(&path));
	return ST_OK;
}

static char *joined(const char *a, const char *b)
{
	struct strbuf s = { 0 };

	strbuf_addf(&s, "%s%s", a, b);
	return s.at;
}

#define LINK "/valgrind"

static bool is_listable(const char *path)
{
	return path && *path && path[strcspn(path, " :")] == '\0';
}

/* Valgrind puts the path into LD_PRELOAD, a list that blanks and colons separate: where it has some, it goes
 * by a link. */
static enum status name_plainly(struct valgrind *v, struct diag *d)
{
	const char *where = getenv("TMPDIR");
	struct strbuf b = { 0 };
	char *link;

	if (is_listable(v->directory))
		return ST_OK;
	strbuf_addf(&b, "%s/foresee-valgrind.XXXXXX", is_listable(where) ? where : "/tmp");
	if (!mkdtemp(b.at)) {
		diag_set(d, "cannot make a temporary directory '%s': %s", b.at, strerror(errno));
		strbuf_release(&b);
		return ST_IO;
	}
	v->temporary = b.at;
	link = joined(v->temporary, LINK);
	if (symlink(v->directory, link) != 0) {
		diag_set(d, "cannot make a link '%s': %s", link, strerror(errno));
		mem_free(link);
		return ST_IO;
	}
	mem_free(v->directory);
	v->directory = link;
	return ST_OK;
}

enum status valgrind_prepare(struct valgrind *v, char **argv, const char *trace,
			     const char *options, struct diag *d)
{
	char *own = program_own_directory();
	enum status st;
	size_t n = 0;

	memset(v, 0, sizeof(*v));
	v->directory = joined(own, "/../lib/foresee/valgrind");
	mem_free(own);
	st = check(v->directory, d);
	if (st == ST_OK)
		st = name_plainly(v, d);
	if (st != ST_OK) {
		valgrind_release(v);
		return st;
	}
	v->tool = joined(v->directory, "/" TOOL);
	while (argv[n])
		n++;
	v->argv = mem_zalloc((n + OPTIONS + 2) * sizeof(*v->argv));
	v->argv[0] = mem_strdup(v->tool);
	v->argv[1] = mem_strdup("--tool=foresee");
	v->argv[2] = mem_strdup("-q");
	v->argv[3] = joined("--foresee-trace=", trace);
	v->argv[4] =
		mem_strdup(strstr(options, "full\n") ? "--foresee-full=yes" : "--foresee-full=no");
	/* Else a thread that spins may keep the others from ever running, on a busy machine. */
	v->argv[5] = mem_strdup("--fair-sched=try");
	memcpy(v->argv + OPTIONS + 1, argv, n * sizeof(*argv));
	return ST_OK;
}

void valgrind_release(struct valgrind *v)
{
	for (size_t i = 0; v->argv && i <= OPTIONS; i++)
		mem_free(v->argv[i]);
	if (v->temporary) {
		char *link = joined(v->temporary, LINK);

		unlink(link);
		rmdir(v->temporary);
		mem_free(link);
	}
	MEM_FREE_ALL(v->argv, v->tool, v->directory, v->temporary);
	memset(v, 0, sizeof(*v));
}
