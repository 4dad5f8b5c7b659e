/*
 * A spec's memory, its file, and messages that show a spot in it.
 */
#include "spec/spec.h"

#include "spec/spec_priv.h"

/* ---- memory ---- */

#define BLOCK 16384u

void *spec_alloc(struct spec *s, size_t n)
{
	struct spec_priv *m = s->priv;

	n = (n + 15) & ~(size_t)15;
	if (n > BLOCK / 4) {
		/* Its own, below the last one, whose rest stays in use. */
		char *own = mem_zalloc(n);

		*VEC_PUSH(&m->blocks) = own;
		if (m->blocks.n > 1) {
			m->blocks.at[m->blocks.n - 1] = m->blocks.at[m->blocks.n - 2];
			m->blocks.at[m->blocks.n - 2] = own;
		}
		return own;
	}
	if (m->left < n) {
		*VEC_PUSH(&m->blocks) = mem_zalloc(BLOCK);
		m->left = BLOCK;
	}
	m->left -= n;
	return m->blocks.at[m->blocks.n - 1] + (BLOCK - m->left - n);
}

const char *spec_copy(struct spec *s, const char *text, size_t n)
{
	return memcpy(spec_alloc(s, n + 1), text, n);
}

struct spec *spec_new(const char *path, const char *text, size_t n)
{
	struct spec *s = mem_zalloc(sizeof(*s));

	s->priv = mem_zalloc(sizeof(*s->priv));
	s->path = spec_copy(s, path, strlen(path));
	s->text = spec_copy(s, text, n);
	s->ntext = n;
	s->variables = spec_alloc(s, SPEC_VARIABLES * sizeof(*s->variables));
	s->events = spec_alloc(s, SPEC_EVENTS * sizeof(*s->events));
	s->threads = spec_alloc(s, SPEC_THREADS * sizeof(*s->threads));
	s->properties = spec_alloc(s, SPEC_PROPERTIES * sizeof(*s->properties));
	return s;
}

void spec_free(struct spec *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->priv->blocks.n; i++)
		mem_free(s->priv->blocks.at[i]);
	MEM_FREE_ALL(s->priv->blocks.at, s->priv, s);
}

/* ---- the file ---- */

enum status spec_read(const char *path, struct spec **out, struct diag *d)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *f = is_input ? stdin : fopen(path, "rbe");
	STRBUF_SCOPED text = { 0 };

	*out = NULL;
	if (!f)
		return diag_fail(d, ST_IO, "cannot open '%s': %s", path, strerror(errno));
	if (!strbuf_read(&text, f, SPEC_BYTES))
		return diag_fail(d, ST_IO, "cannot read '%s': %s", path, strerror(errno));
	if (strncmp(strbuf_str(&text), "FORESEE\n", 8) == 0)
		return diag_fail(d, ST_IO, "'%s' is a recording, not a specification", path);
	return spec_parse(is_input ? "(standard input)" : path, strbuf_str(&text), text.n, out, d);
}

/* ---- messages ---- */

/*
 * The line and a caret, as much of it as fits around the column:
 *
 *	property p: ptltl x =< 1;
 *	                    ^
 * Tabs stay in both, so that the caret fits whatever their width; each byte that cannot be shown
 * is a question mark.
 */
#define SHOWN_BEFORE 72
#define SHOWN_AFTER 48

struct line_part {
	const char *from, *at, *to, *end; /* at: under it stands the caret; end: of the line */
	bool is_cut;			  /* from is not where the line begins */
};

static const char *skip_rest(const char *s, const char *end)
{
	while (s < end && ((unsigned char)*s & 0xc0) == 0x80)
		s++;
	return s;
}

static struct line_part line_find(const struct spec *s, struct spec_spot at)
{
	const char *end = s->text + s->ntext, *line = s->text, *next;
	struct line_part part;

	for (uint32_t i = 1; i < at.line && (next = memchr(line, '\n', (size_t)(end - line))); i++)
		line = next + 1;
	next = memchr(line, '\n', (size_t)(end - line));
	end = next ? next : end;
	if (end > line && end[-1] == '\r')
		end--;
	part.end = end;
	part.at = (size_t)(end - line) < at.column - 1 ? end : line + (at.column - 1);
	part.is_cut = part.at - line > SHOWN_BEFORE;
	part.from = part.is_cut ? skip_rest(part.at - SHOWN_BEFORE, part.at) : line;
	part.to = end - part.at > SHOWN_AFTER ? skip_rest(part.at + SHOWN_AFTER, end) : end;
	return part;
}

/* One character; as a blank in the line of the caret. */
static const char *show_character(struct strbuf *b, const char *s, const char *end, bool blank)
{
	unsigned n = (unsigned char)*s < 0x80 ? 1 : spec_lex_utf8(s, end);
	bool shown = n > 1 || (*s >= 0x20 && *s < 0x7f);

	if (*s == '\t')
		strbuf_adds(b, "\t");
	else if (blank)
		strbuf_adds(b, " ");
	else
		strbuf_add(b, shown ? s : "?", shown ? n : 1);
	return s + (n ? n : 1);
}

static void show_line(const struct spec *s, struct spec_spot at, struct strbuf *b)
{
	struct line_part part = line_find(s, at);
	const char *c;

	strbuf_adds(b, part.is_cut ? "\n  ..." : "\n  ");
	for (c = part.from; c < part.to;)
		c = show_character(b, c, part.end, false);
	strbuf_adds(b, c < part.end ? "...\n  " : "\n  ");
	strbuf_adds(b, part.is_cut ? "   " : "");
	for (c = part.from; c < part.at;)
		c = show_character(b, c, part.end, true);
	strbuf_adds(b, "^");
}

static void complain(const struct spec *s, struct spec_spot at, struct diag *d, const char *format,
		     va_list ap)
{
	STRBUF_SCOPED where = { 0 };
	char what[512];

	vsnprintf(what, sizeof(what), format, ap);
	show_line(s, at, &where);
	diag_set(d, "%.600s:%u:%u: %s%s", s->path, at.line, at.column, what, strbuf_str(&where));
}

enum status spec_complain(const struct spec *s, struct spec_spot at, struct diag *d,
			  const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain(s, at, d, format, ap);
	va_end(ap);
	return ST_BAD_INPUT;
}

bool spec_fail(struct spec_parser *p, struct spec_spot at, const char *format, ...)
{
	va_list ap;

	p->failed = true;
	if (p->d == NULL || p->d->message[0] != '\0')
		return false;
	va_start(ap, format);
	complain(p->spec, at, p->d, format, ap);
	va_end(ap);
	return false;
}
