#include "report/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace.h"

#define LARGEST (16u << 20) /* bytes of a file; generated ones are longer, and nobody reads them */

struct content {
	struct source_file file;
	struct strbuf text;
	VEC(size_t) starts; /* of lines, and where the last one ends */
};

struct sources {
	const struct trace *trace;
	struct intern *names; /* of files: number + 1 */
	VEC(struct content) at;
	bool wanted;
	struct timespec youngest; /* what is newer has changed; 0: that is not known */
};

const char *source_state_words(enum source_state s)
{
	static const char *const words[] = {
#define X(id, text) [SOURCE_##id] = text,
		SOURCE_STATES(X)
#undef X
	};

	return words[s];
}

/* ---- how old ---- */

static bool is_after(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* The program was built and the run recorded from what was older than both. */
static void limit_by(struct sources *s, const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	if (s->youngest.tv_sec == 0 || is_after(&s->youngest, &st.st_mtim))
		s->youngest = st.st_mtim;
}

struct sources *sources_new(const struct trace *t, const char *path, bool wanted)
{
	struct sources *s = mem_zalloc(sizeof(*s));
	struct trace_info info = trace_info(t);

	s->trace = t;
	s->wanted = wanted;
	s->names = intern_new();
	if (info.form == TRACE_BINARY) { /* a text trace may have been written at any time */
		limit_by(s, info.program);
		limit_by(s, path);
	}
	return s;
}

void sources_free(struct sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->at.n; i++) {
		strbuf_release(&s->at.at[i].text);
		VEC_RELEASE(&s->at.at[i].starts);
	}
	VEC_RELEASE(&s->at);
	intern_free(s->names);
	mem_free(s);
}

/* ---- reading ---- */

static bool is_source_name(const char *file)
{
	static const char *const ends[] = { "c",   "h",	  "cc",	 "hh",	"cpp", "hpp", "cxx", "hxx",
					    "c++", "h++", "inc", "inl", "ipp", "tcc", "def", "y",
					    "l",   "yy",  "ll",	 "m",	"tpp", "txx" };
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(slash ? slash : file, '.');

	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcasecmp(dot + 1, ends[i]) == 0)
			return true;
	/* Headers of the C++ library have no ending. */
	return !dot && strncmp(file, "/usr/include/", 13) == 0;
}

/* Relative names count from here; else from where the program was started. */
static int open_file(const struct sources *s, const char *file)
{
	const char *from = trace_info(s->trace).directory;
	int how = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, fd = open(file, how);
	STRBUF_SCOPED path = { 0 };

	if (fd >= 0 || file[0] == '/' || !from)
		return fd;
	strbuf_addf(&path, "%s/%s", from, file);
	return open(strbuf_str(&path), how);
}

static void split(struct content *c)
{
	*VEC_PUSH(&c->starts) = 0;
	for (size_t i = 0; i < c->text.n; i++)
		if (c->text.at[i] == '\n')
			*VEC_PUSH(&c->starts) = i + 1;
	if (c->starts.at[c->starts.n - 1] != c->text.n)
		*VEC_PUSH(&c->starts) = c->text.n;
	c->file.lines = (uint32_t)(c->starts.n - 1);
}

static enum source_state read_file(const struct sources *s, struct content *c)
{
	FILE *f;
	struct stat st;
	int fd = -1;

	if (!s->wanted)
		return SOURCE_UNASKED;
	if (!is_source_name(c->file.path))
		return SOURCE_STRANGE;
	fd = open_file(s, c->file.path);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? SOURCE_MISSING : SOURCE_UNREADABLE;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST) {
		close(fd);
		return SOURCE_UNREADABLE;
	}
	f = fdopen(fd, "r");
	if (!f || !strbuf_read(&c->text, f, LARGEST)) {
		strbuf_clear(&c->text);
		return SOURCE_UNREADABLE;
	}
	split(c);
	return s->youngest.tv_sec && is_after(&st.st_mtim, &s->youngest) ? SOURCE_NEWER
									 : SOURCE_THERE;
}

uint32_t sources_find(struct sources *s, const char *file)
{
	uint32_t id = intern_add(s->names, file, strlen(file));
	struct content *c;

	if (id <= s->at.n)
		return id - 1;
	c = VEC_PUSH(&s->at);
	*c = (struct content){ .file.path = intern_str(s->names, id) };
	c->file.state = read_file(s, c);
	return id - 1;
}

uint32_t sources_count(const struct sources *s)
{
	return (uint32_t)s->at.n;
}

struct source_file sources_get(const struct sources *s, uint32_t file)
{
	assert(file < s->at.n);
	return s->at.at[file].file;
}

const char *source_line(const struct sources *s, uint32_t file, uint32_t line, size_t *len)
{
	const struct content *c = &s->at.at[file];
	size_t from, to;

	*len = 0;
	if (line == 0 || line > c->file.lines)
		return "";
	from = c->starts.at[line - 1];
	to = c->starts.at[line];
	while (to > from && (c->text.at[to - 1] == '\n' || c->text.at[to - 1] == '\r'))
		to--;
	*len = to - from;
	return c->text.at + from;
}

/* ---- the part that is meant ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* `name' stands at `at' as a word of its own. */
static bool is_at(const char *text, size_t len, size_t at, const char *name, size_t n)
{
	return at + n <= len && memcmp(text + at, name, n) == 0 &&
	       (at == 0 || !is_word(text[at - 1])) && (at + n == len || !is_word(text[at + n]));
}

/* The last word of "s->a.total[3]": total. */
static size_t last_word(const char *name, const char **out)
{
	size_t end = strcspn(name, "+ (");
	size_t from;

	while (end > 0 && !is_word(name[end - 1]))
		end--;
	if (strcspn(name, "[") < end)
		end = strcspn(name, "[");
	for (from = end; from > 0 && is_word(name[from - 1]);)
		from--;
	*out = name + from;
	return end - from;
}

/* Where the variable stands: at the column, or the nearest before it on the line, for an assignment is at its
 * sign; or the only one. */
static bool name_find(const char *text, size_t len, const struct trace_site *p, size_t *from,
		      size_t *to)
{
	size_t column = p->column ? p->column - 1 : 0, best = len, times = 0, n;
	const char *word;

	n = p->variable ? last_word(p->variable, &word) : 0;
	for (size_t i = 0; n > 0 && i + n <= len; i++) {
		if (!is_at(text, len, i, word, n))
			continue;
		times++;
		if ((p->column && i <= column) || times == 1)
			best = i;
	}
	*from = best;
	*to = best + n;
	return times == 1 || (times > 1 && p->column);
}

bool source_mark(const char *text, size_t len, const struct trace_site *p, size_t *from, size_t *to)
{
	size_t at;

	if (name_find(text, len, p, from, to))
		return true;
	if (p->column == 0 || p->column > len)
		return false;
	at = p->column - 1;
	*from = *to = at;
	if (is_word(text[at]))
		while (*to < len && is_word(text[*to]))
			++*to;
	else
		while (*to < len && ispunct((unsigned char)text[*to]) && !strchr("()_;", text[*to]))
			++*to;
	return *to > *from;
}
