#include "replay/outcome.h"

#include <fcntl.h>
#include <unistd.h>

#define LINE_MOST 70 /* characters of a line that are shown */

void outcome_release(struct outcome *o)
{
	strbuf_release(&o->out);
	strbuf_release(&o->err);
}

void outcome_read(const char *path, struct strbuf *out)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* it may have put a pipe there */
	char piece[65536];
	ssize_t n;

	while (fd >= 0 && out->n < OUTCOME_MOST && (n = read(fd, piece, sizeof(piece))) > 0)
		strbuf_add(out, piece, (size_t)n);
	if (fd >= 0)
		close(fd);
}

/* ---- how they differ ---- */

static bool is_same(const struct strbuf *a, const struct strbuf *b)
{
	return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

static bool has_end(const struct outcome *o)
{
	return !o->hung && !o->late;
}

enum outcome_difference outcome_compare(const struct outcome *a, const struct outcome *b)
{
	if ((has_end(a) && a->signal) != (has_end(b) && b->signal))
		return OUTCOME_CRASH;
	if (a->hung != b->hung || a->late != b->late)
		return OUTCOME_HANG;
	if (has_end(a) && (a->status != b->status || a->signal != b->signal))
		return OUTCOME_STATUS;
	if (!is_same(&a->out, &b->out))
		return OUTCOME_OUTPUT;
	if (!is_same(&a->err, &b->err))
		return OUTCOME_ERRORS;
	if (a->nbytes && a->nbytes == b->nbytes && memcmp(a->bytes, b->bytes, a->nbytes) != 0)
		return OUTCOME_BYTES;
	return OUTCOME_SAME;
}

const char *outcome_difference_name(enum outcome_difference d)
{
	static const char *const names[] = { "none",   "crash",	 "hang", "status",
					     "output", "errors", "bytes" };

	return names[d];
}

/* ---- words ---- */

void outcome_end(const struct outcome *o, double time, struct strbuf *out)
{
	if (o->hung)
		strbuf_adds(out, "hangs");
	else if (o->late)
		strbuf_addf(out, "has not ended after %g s", time);
	else if (o->signal)
		strbuf_addf(out, "is killed by signal %d (%s)", o->signal, strsignal(o->signal));
	else
		strbuf_addf(out, "ends with status %d", o->status);
}

size_t outcome_line(const struct strbuf *of, size_t from, size_t most, struct strbuf *out)
{
	const char *line = of->at + from, *end = memchr(line, '\n', of->n - from);
	size_t whole = end ? (size_t)(end - line) : of->n - from, n = whole < most ? whole : most;

	for (; n < whole && n > 0 && ((unsigned char)line[n] & 0xc0) == 0x80; n--)
		; /* not within a character */
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)line[i];

		strbuf_addf(out, "%c", (c < ' ' && c != '\t') || c == 127 ? '?' : c);
	}
	strbuf_adds(out, n < whole ? "..." : "");
	return from + whole;
}

/* The line of `of' that begins at or before i, as it can be shown. */
static void add_line(const struct strbuf *of, size_t i, struct strbuf *out)
{
	size_t from = i < of->n ? i : of->n;

	while (from > 0 && of->at[from - 1] != '\n')
		from--;
	if (from == of->n) {
		strbuf_adds(out, "nothing more");
		return;
	}
	strbuf_adds(out, "`");
	(void)outcome_line(of, from, LINE_MOST, out);
	strbuf_adds(out, "`");
}

static size_t first_difference(const struct strbuf *a, const struct strbuf *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && a->at[i] == b->at[i])
		i++;
	return i;
}

static void add_outputs(const struct strbuf *a, const char *first, const struct strbuf *b,
			const char *second, const char *where, struct strbuf *out)
{
	size_t at = first_difference(a, b);

	strbuf_addf(out, "the order %s prints%s ", first, where);
	add_line(a, at, out);
	strbuf_addf(out, "; %s prints ", second);
	add_line(b, at, out);
}

static void add_ends(const struct outcome *a, const char *first, const struct outcome *b,
		     const char *second, double time, struct strbuf *out)
{
	strbuf_addf(out, "the order %s ", first);
	outcome_end(a, time, out);
	strbuf_addf(out, "; %s ", second);
	outcome_end(b, time, out);
}

void outcome_words(const struct outcome *a, const char *first, const struct outcome *b,
		   const char *second, double time, struct strbuf *out)
{
	switch (outcome_compare(a, b)) {
	case OUTCOME_CRASH:
		strbuf_adds(out, "one order crashes: ");
		add_ends(a, first, b, second, time, out);
		break;
	case OUTCOME_HANG:
		strbuf_addf(out, "one order %s: ",
			    a->hung || b->hung ? "hangs" : "does not come to an end");
		add_ends(a, first, b, second, time, out);
		break;
	case OUTCOME_STATUS:
		add_ends(a, first, b, second, time, out);
		break;
	case OUTCOME_OUTPUT:
		add_outputs(&a->out, first, &b->out, second, "", out);
		break;
	case OUTCOME_ERRORS:
		add_outputs(&a->err, first, &b->err, second, " on standard error", out);
		break;
	case OUTCOME_BYTES:
		strbuf_addf(out, "the order %s leaves ", first);
		strbuf_add_number(out, a->bytes, a->nbytes);
		strbuf_addf(out, " there, %s ", second);
		strbuf_add_number(out, b->bytes, b->nbytes);
		strbuf_adds(out, "; no other difference seen");
		break;
	case OUTCOME_SAME:
		strbuf_adds(out, "no difference seen: either way the program ");
		outcome_end(a, time, out);
		strbuf_adds(out, a->out.n || a->err.n ? ", and prints the same" : "");
		break;
	}
}
