#include "report/frames.h"

#include <ctype.h>
#include <unistd.h>

#include "capture/hooks.h"

#define DEEPEST_INLINING \
	64	      /* a recording may say anything, also that a site is inlined into itself */
#define LINES 8	      /* shown of a stack */
#define NAME_WIDTH 60 /* of a function; templates have longer names */

/* ---- the frames of an event ---- */

static void add_site(const struct trace *t, uint32_t site, struct frames *out)
{
	struct trace_site p;

	for (int depth = 0; depth < DEEPEST_INLINING && site != 0; depth++) {
		if (!trace_site(t, site, &p))
			return;
		*VEC_PUSH(&out->at) = p;
		site = p.inlined;
	}
}

void frames_get_sites(const struct trace *t, uint32_t site, const uint32_t *sites, uint32_t n,
		      struct frames *out)
{
	VEC_CLEAR(&out->at);
	add_site(t, site, out);
	for (uint32_t i = 0; i < n; i++)
		add_site(t, sites[i], out);
}

void frames_get(const struct trace *t, uint32_t site, uint32_t stack, struct frames *out)
{
	const uint32_t *sites;
	uint32_t n = trace_stack(t, stack, &sites);

	frames_get_sites(t, site, sites, n, out);
}

/* ---- paths ---- */

static void drop_last(struct strbuf *out, size_t start)
{
	while (out->n > start && out->at[out->n - 1] != '/')
		out->n--;
	if (out->n > start + 1)
		out->n--; /* the slash, unless it is the root */
	out->at[out->n] = '\0';
}

/* The last part of what was added since start is a name that ".." takes back. */
static bool has_last(const struct strbuf *out, size_t start)
{
	size_t at = out->n;

	while (at > start && out->at[at - 1] != '/')
		at--;
	return out->n > at && strcmp(out->at + at, "..") != 0;
}

/* "/usr/bin/../lib/./a.h" to "/usr/lib/a.h".  Links are not looked at: what a reader types is
 * what the compiler was told, only shorter. */
static void normalise(const char *file, struct strbuf *out)
{
	size_t start = out->n;

	strbuf_adds(out, file[0] == '/' ? "/" : "");
	while (*file) {
		size_t n = strcspn(file, "/");

		if (n == 2 && memcmp(file, "..", 2) == 0 && has_last(out, start)) {
			drop_last(out, start);
		} else if (n > 0 && !(n == 1 && *file == '.')) {
			if (out->n > start && out->at[out->n - 1] != '/')
				strbuf_adds(out, "/");
			strbuf_add(out, file, n);
		}
		file += n;
		file += *file == '/';
	}
}

static const char *working_directory(void)
{
	static char here[4096];

	if (!here[0] && !getcwd(here, sizeof(here)))
		here[0] = '\0';
	return here;
}

/* Both are absolute and normal: how much of them is the same directories. */
static size_t common(const char *path, const char *here)
{
	size_t same = 0;

	for (size_t i = 0;; i++) {
		if ((here[i] == '/' || here[i] == '\0') && path[i] == '/')
			same = i;
		if (here[i] != path[i] || here[i] == '\0')
			return same;
	}
}

static void relative(const char *path, const char *here, struct strbuf *out)
{
	size_t same = common(path, here);

	for (const char *p = here + same; *p; p++)
		if (*p == '/' && p[1])
			strbuf_adds(out, "../");
	strbuf_adds(out, path + same + 1);
}

void frames_path(const char *file, struct strbuf *out)
{
	STRBUF_SCOPED whole = { 0 }, near = { 0 };

	normalise(file, &whole);
	if (strbuf_str(&whole)[0] == '/' && working_directory()[0] == '/')
		relative(whole.at, working_directory(), &near);
	strbuf_adds(out, near.n && near.n < whole.n ? near.at : strbuf_str(&whole));
}

static bool is_system(const struct trace_site *p)
{
	STRBUF_SCOPED path = { 0 };

	if (!p->file)
		return false;
	normalise(p->file, &path);
	return strncmp(strbuf_str(&path), "/usr/include/", 13) == 0 ||
	       strncmp(strbuf_str(&path), "/usr/lib/", 9) == 0;
}

/* ---- places ---- */

/* "f<int, g<char> >::h" to "f<..>::h"; operators keep their signs. */
static void without_arguments(const char *name, struct strbuf *out)
{
	int depth = 0;

	for (const char *p = name; *p; p++) {
		bool sign = p > name && (p[-1] == '-' || p[-1] == '=' ||
					 (p - name >= 8 && memcmp(p - 8, "operator", 8) == 0));

		if (*p == '>' && depth > 0 && !sign && --depth == 0)
			strbuf_adds(out, "..");
		if (depth == 0)
			strbuf_add(out, p, 1);
		if (*p == '<' && !sign)
			depth++;
	}
}

void frames_name(const char *name, struct strbuf *out)
{
	if (strlen(name) <= NAME_WIDTH)
		strbuf_adds(out, name);
	else
		without_arguments(name, out);
}

static void add_function(const char *name, struct strbuf *out)
{
	STRBUF_SCOPED brief = { 0 };

	frames_name(name, &brief);
	if (brief.n <= NAME_WIDTH)
		strbuf_adds(out, strbuf_str(&brief));
	else
		strbuf_addf(out, "%.*s..%s", NAME_WIDTH / 2 - 1, brief.at,
			    brief.at + brief.n - (NAME_WIDTH / 2 - 1));
}

const char *frames_near(const struct trace_site *p)
{
	return p->flags & FORESEE_SITE_NEAR ? "~" : "";
}

/* "audit.c:31 in add_entry", "audit.c:~31" if that is the nearest line; "?" when nothing is known.  Long
 * names are shortened. */
static void add_place(const struct trace_site *p, struct strbuf *out)
{
	if (p->file)
		frames_path(p->file, out);
	if (p->line)
		strbuf_addf(out, "%s%s%" PRIu32, p->file ? ":" : "", frames_near(p), p->line);
	if (!p->file && !p->line && !p->function)
		strbuf_adds(out, "?");
	if (p->function) {
		strbuf_addf(out, "%sin ", p->file || p->line ? " " : "");
		add_function(p->function, out);
	}
}

void frames_enter(struct frames *f)
{
	size_t n = 0;

	while (n < f->at.n && is_system(&f->at.at[n]))
		n++;
	if (n > 0 && n < f->at.n)
		VEC_CUT(&f->at, 0, n);
}

bool frames_own(const struct trace *t, uint32_t site, uint32_t stack, struct trace_site *out)
{
	VEC_SCOPED struct frames f = { 0 };

	frames_get(t, site, stack, &f);
	frames_enter(&f);
	if (f.at.n)
		*out = f.at.at[0];
	return f.at.n > 0;
}

void frames_location(const struct trace *t, uint32_t site, uint32_t stack, struct strbuf *out)
{
	struct trace_site p;

	if (frames_own(t, site, stack, &p))
		add_place(&p, out);
}

void frames_brief(const struct trace *t, uint32_t site, uint32_t stack, const char *file,
		  struct strbuf *out)
{
	struct trace_site p;
	const char *slash;

	if (!frames_own(t, site, stack, &p))
		return;
	slash = p.file ? strrchr(p.file, '/') : NULL;
	if (p.file && (!file || strcmp(p.file, file) != 0 || !p.line))
		strbuf_adds(out, slash ? slash + 1 : p.file);
	if (p.line)
		strbuf_addf(out, ":%s%" PRIu32, frames_near(&p), p.line);
	else if (!p.file && p.function)
		strbuf_adds(out, p.function);
}

const char *frames_variable(const struct trace *t, uint32_t site, uint32_t stack)
{
	VEC_SCOPED struct frames f = { 0 };

	frames_get(t, site, stack, &f);
	for (size_t i = 0; i < f.at.n; i++) {
		const char *variable = f.at.at[i].variable;

		if (variable && (isalpha((unsigned char)variable[0]) || variable[0] == '_'))
			return variable;
		if (!is_system(&f.at.at[i]))
			break;
	}
	return NULL;
}

/* ---- stacks ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(const struct trace_site *a, const struct trace_site *b)
{
	return a->line == b->line && same_text(a->file, b->file) &&
	       same_text(a->function, b->function);
}

/* How many frames from i on make one line; *system: they are folded as such. */
static size_t run_length(const struct frames *f, size_t i, bool *system)
{
	size_t n = 0, same = 0;

	while (i > 0 && i + n < f->at.n && is_system(&f->at.at[i + n]))
		n++;
	*system = n > 1;
	if (*system)
		return n;
	while (i + same < f->at.n && same_place(&f->at.at[i], &f->at.at[i + same]))
		same++;
	return same;
}

static void add_line(const struct frames *f, size_t i, size_t n, bool system, struct strbuf *out)
{
	if (system) {
		strbuf_addf(out, "... %zu frames in system headers\n", n);
		return;
	}
	add_place(&f->at.at[i], out);
	if (n > 1)
		strbuf_addf(out, " (%zu times)", n);
	strbuf_adds(out, "\n");
}

/* From frame i on, too many for a line each.  The last one tells which thread this is. */
static void add_rest(const struct frames *f, size_t i, int indent, struct strbuf *out)
{
	const struct trace_site *last = &f->at.at[f->at.n - 1];
	bool shown = !is_system(last);
	size_t n = f->at.n - i - shown;

	strbuf_addf(out, "%*s... %zu more frame%s\n", indent, "", n, n == 1 ? "" : "s");
	if (!shown)
		return;
	strbuf_addf(out, "%*s", indent, "");
	add_place(last, out);
	strbuf_adds(out, "\n");
}

void frames_format(const struct frames *f, int indent, struct strbuf *out)
{
	size_t lines = 0, n;
	bool system;

	assert(f->at.n > 0);
	for (size_t i = 0; i < f->at.n; i += n, lines++) {
		n = run_length(f, i, &system);
		if (lines == LINES - 2 && i + n + 1 < f->at.n) {
			add_rest(f, i, indent, out);
			return;
		}
		strbuf_addf(out, "%*s", lines ? indent : 0, "");
		add_line(f, i, n, system, out);
	}
}

void frames_stack(const struct trace *t, uint8_t op, uint32_t site, uint32_t stack, int indent,
		  struct strbuf *out)
{
	VEC_SCOPED struct frames frames = { 0 };

	frames_get(t, site, stack, &frames);
	if (event_op_family(op) != 'A')
		frames_enter(&frames);
	if (frames.at.n)
		frames_format(&frames, indent, out);
}
