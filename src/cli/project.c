#include "cli/project.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/near.h"

#define NAME ".foresee"
#define LONGEST (1u << 20)

/* In the order of the manual.  path: its value is one. */
static const struct {
	const char *name;
	bool path;
} settings[] = {
	{ "analysis", false }, { "spec", true },	 { "suppress", true },
	{ "baseline", true },  { "format", false },	 { "strict", false },
	{ "values", false },   { "plain-moves", false }, { "all-pairs", false },
	{ "breadth", false },  { "window", false },	 { "budget", false },
	{ "jobs", false },     { "fork-join", false },	 { "expect-status", false },
};
#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

static enum status unknown(const char *file, uint32_t line, const char *name, struct diag *d)
{
	const char *names[NSETTINGS], *near;

	for (size_t i = 0; i < NSETTINGS; i++)
		names[i] = settings[i].name;
	near = near_find(name, names, NSETTINGS);
	if (near)
		return diag_fail(d, ST_BAD_INPUT,
				 "%s:%" PRIu32 ": unknown setting '%.40s', did you mean '%s'?",
				 file, line, name, near);
	return diag_fail(
		d, ST_BAD_INPUT,
		"%s:%" PRIu32
		": unknown setting '%.40s': options that 'foresee config --help' lists, or "
		"rules KIND:PART:GLOB",
		file, line, name);
}

static char *trimmed(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && strchr(" \t\r", end[-1]) && end[-1])
		end--;
	return mem_text(at, (size_t)(end - at));
}

/* A path of the file is relative to the file. */
static char *resolved(const char *file, char *value)
{
	const char *slash = strrchr(file, '/');
	STRBUF_SCOPED path = { 0 };

	if (value[0] == '/' || !slash)
		return value;
	strbuf_add(&path, file, (size_t)(slash + 1 - file));
	strbuf_adds(&path, value);
	mem_free(value);
	return mem_strdup(strbuf_str(&path));
}

static enum status take_setting(struct project *p, const char *at, const char *end,
				const char *file, uint32_t line, struct diag *d)
{
	const char *equals = memchr(at, '=', (size_t)(end - at));
	struct project_setting s = { .line = line };
	size_t i = 0;

	s.name = trimmed(at, equals ? equals : end);
	s.value = equals ? trimmed(equals + 1, end) : NULL;
	*VEC_PUSH(&p->at) = s;
	while (i < NSETTINGS && strcmp(settings[i].name, s.name) != 0)
		i++;
	if (i == NSETTINGS)
		return unknown(file, line, s.name, d);
	for (size_t k = 0; k + 1 < p->at.n; k++)
		if (strcmp(p->at.at[k].name, s.name) == 0)
			return diag_fail(d, ST_BAD_INPUT,
					 "%s:%" PRIu32
					 ": '%s' is set twice, here and on line %" PRIu32,
					 file, line, s.name, p->at.at[k].line);
	if (settings[i].path && s.value)
		p->at.at[p->at.n - 1].value = resolved(file, s.value);
	return ST_OK;
}

static enum status take_line(struct project *p, const char *at, const char *end, const char *file,
			     uint32_t line, struct diag *d)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));
	const char *equals = memchr(at, '=', (size_t)(end - at));

	while (at < end && strchr(" \t\r", *at) && *at)
		at++;
	if (at == end || *at == '#')
		return ST_OK;
	if (memchr(at, '\0', (size_t)(end - at)))
		return diag_fail(d, ST_BAD_INPUT, "%s:%" PRIu32 ": NUL in a line", file, line);
	if (!colon || (equals && equals < colon))
		return take_setting(p, at, end, file, line, d);
	strbuf_add(&p->rules, at, (size_t)(end - at));
	p->nrules++;
	return ST_OK;
}

enum status project_parse(struct project *p, const char *text, size_t n, const char *name,
			  struct diag *d)
{
	const char *end = text + n;
	enum status st = ST_OK;

	p->path = mem_strdup(name);
	for (uint32_t line = 1; text < end && st == ST_OK; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		st = take_line(p, text, stop, name, line, d);
		strbuf_adds(&p->rules, "\n");
		text = stop + 1;
	}
	return st;
}

/* The path of the file, or NULL. */
static char *look_upward(void)
{
	char here[PATH_MAX];
	STRBUF_SCOPED path = { 0 };
	struct stat st;

	if (!getcwd(here, sizeof(here)))
		return NULL;
	for (size_t n = strlen(here);; n--) {
		if (n > 0 && here[n] != '/' && here[n] != '\0')
			continue;
		here[n] = '\0';
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/" NAME, here);
		if (stat(strbuf_str(&path), &st) == 0 && S_ISREG(st.st_mode))
			return mem_strdup(strbuf_str(&path));
		if (n == 0)
			return NULL;
	}
}

enum status project_find(struct project *p, struct diag *d)
{
	const char *named = getenv("FORESEE_PROJECT");
	char *path = named ? mem_strdup(named) : look_upward();
	STRBUF_SCOPED text = { 0 };
	enum status st = ST_OK;
	FILE *f;

	if (path && *path) {
		f = fopen(path, "re");
		if (!f || !strbuf_read(&text, f, LONGEST))
			st = diag_fail(d, ST_IO, "cannot read '%s': %s", path, strerror(errno));
		else if (text.n > LONGEST)
			st = diag_fail(d, ST_BAD_INPUT, "'%s' is too long for settings", path);
		else
			st = project_parse(p, strbuf_str(&text), text.n, path, d);
	}
	mem_free(path);
	return st;
}

void project_release(struct project *p)
{
	for (size_t i = 0; i < p->at.n; i++)
		MEM_FREE_ALL(p->at.at[i].name, p->at.at[i].value);
	VEC_RELEASE(&p->at);
	strbuf_release(&p->rules);
	mem_free(p->path);
	p->path = NULL;
}
