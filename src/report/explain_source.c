/*
 * Lines of source in a text report:
 *
 *	T2  write  audit.c:32 in add_entry            no lock held
 *	           | audit.total += amount;
 *	           |       ^~~~~
 *
 * On a terminal with colours what is meant is underlined in the line itself.
 */
#include <ctype.h>

#include "report/explain_priv.h"
#include "report/source.h"

#define NARROWEST 20 /* less of a line says nothing */
#define FILES 3	     /* named of those that are not there */

/* A byte that begins a character: what a reader counts. */
static bool is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t characters(const char *s, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += is_start(s[i]);
	return count;
}

/* Nothing that a terminal could take for something else; a blank for a tab, so that columns stay. */
static void add_text(const char *s, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		char c = s[i] == '\t' ? ' ' : iscntrl((unsigned char)s[i]) ? '?' : s[i];

		strbuf_add(out, &c, 1);
	}
}

/* The part of the line that has room: without the blanks at its ends, and with what is meant if that can be. */
static size_t trim(const char **text, size_t len, size_t room, size_t *from, size_t *to)
{
	size_t begin = 0;

	while (len > 0 && isspace((unsigned char)(*text)[len - 1]))
		len--;
	while (begin < len && isspace((unsigned char)(*text)[begin]))
		begin++;
	if (*to > begin + room)
		begin = *to - room;
	while (begin < len && !is_start((*text)[begin]))
		begin++;
	*from = *from > begin ? *from - begin : 0;
	*to = *to > begin ? *to - begin : 0;
	*text += begin;
	len -= begin;
	if (len > room)
		for (len = room; len > 0 && !is_start((*text)[len]);)
			len--;
	*from = *from > len ? len : *from;
	*to = *to > len ? len : *to;
	return len;
}

/* Below it, where there are no colours. */
static void add_carets(const char *text, size_t from, size_t to, size_t indent, struct strbuf *out)
{
	strbuf_addf(out, "%*s| %*s^", (int)indent, "", (int)characters(text, from), "");
	for (size_t i = 1; i < characters(text + from, to - from); i++)
		strbuf_adds(out, "~");
	strbuf_adds(out, "\n");
}

void explain_source(const struct explain *x, const struct trace_site *p, size_t indent,
		    struct strbuf *out)
{
	size_t room = (size_t)x->opt->width, len, from = 0, to = 0;
	const char *text;
	uint32_t file;

	if (!x->sources || !p->file || !p->line)
		return;
	file = sources_find(x->sources, p->file);
	if (sources_get(x->sources, file).state != SOURCE_THERE)
		return;
	text = source_line(x->sources, file, p->line, &len);
	if (!source_mark(text, len, p, &from, &to))
		from = to = 0;
	room = room > indent + 2 + NARROWEST ? room - indent - 2 : NARROWEST;
	len = trim(&text, len, room, &from, &to);
	if (len == 0)
		return;
	strbuf_addf(out, "%*s| ", (int)indent, "");
	add_text(text, from, out);
	strbuf_adds(out, to > from && x->opt->color ? "\033[1;4m" : "");
	add_text(text + from, to - from, out);
	strbuf_adds(out, to > from && x->opt->color ? "\033[0m" : "");
	add_text(text + to, len - to, out);
	strbuf_adds(out, "\n");
	if (to > from && !x->opt->color)
		add_carets(text, from, to, indent, out);
}

void explain_source_missing(const struct explain *x, struct strbuf *out)
{
	uint32_t n = x->sources ? sources_count(x->sources) : 0, told = 0, more = 0;

	if (trace_info(x->t).form != TRACE_BINARY)
		return; /* whatever the writer of the text has called his places */
	for (uint32_t i = 0; i < n; i++) {
		struct source_file file = sources_get(x->sources, i);

		if (file.state == SOURCE_THERE)
			continue;
		if (told == FILES) {
			more++;
			continue;
		}
		strbuf_adds(out, told++ ? "; " : "source that is not shown: ");
		frames_path(file.path, out);
		strbuf_addf(out, " %s", source_state_words(file.state));
	}
	if (more)
		strbuf_addf(out, "; and %" PRIu32 " more file%s", more, WORDS_PLURAL(more));
	strbuf_adds(out, told ? "\n" : "");
}
