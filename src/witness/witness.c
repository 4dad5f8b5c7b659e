/*
 * Witness files: from disk, and to text.  One line, one word and what belongs to it; `order' takes
 * the rest of the file.  The parser is in witness_parse.c.
 */
#include "witness/witness.h"

#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define FILE_LIMIT ((uint64_t)4 << 30)
#define COLUMNS 96

/* ---- from disk ---- */

enum status witness_head(const char *path, struct strbuf *text, struct witness *out, struct diag *d)
{
	FILE *f = fopen(path, "re");

	memset(out, 0, sizeof(*out));
	if (!f)
		return diag_fail(d, ST_IO, "cannot open '%s': %s", path, strerror(errno));
	if (!strbuf_read(text, f, FILE_LIMIT))
		return diag_fail(d, ST_IO, "cannot read '%s': %s", path, strerror(errno));
	if (text->n > FILE_LIMIT)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is longer than 4 GiB: not a witness", path);
	return witness_parse(strbuf_str(text), text->n, path, NULL, out, d);
}

void witness_release(struct witness *w)
{
	VEC_RELEASE_ALL(&w->targets, &w->stray, &w->order);
	mem_free(w->property);
	w->property = NULL;
	strbuf_release(&w->spec);
	texts_release(&w->atomic);
}

/* ---- writing ---- */

/* A name that a range can be written with and read back. */
static bool name_is_plain(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] <= ' ' || s[i] == '#')
			return false;
	return n > 0 && n < 60;
}

/* How many events from order[i] on follow each other in one thread. */
static size_t run_length(const struct witness *w, const struct evidence *ev, size_t i,
			 struct evidence_event *first)
{
	size_t n = 1;

	*first = evidence_get(ev, w->order.at[i]);
	while (i + n < w->order.n &&
	       evidence_find(ev, first->tid, first->index + (uint32_t)n) == w->order.at[i + n])
		n++;
	return n;
}

/* Adds a word to the present line, or begins a new one. */
static void word_add(struct strbuf *out, size_t *column, const char *word)
{
	size_t n = strlen(word);

	if (*column + 1 + n > COLUMNS && *column > 0) {
		strbuf_adds(out, "\n");
		*column = 0;
	}
	strbuf_addf(out, "%s%s", *column ? " " : "", word);
	*column += n + (*column != 0);
}

static void ids_format(const uint64_t *ids, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, " %" PRIu64, ids[i]);
}

static void order_format(const struct witness *w, const struct evidence *ev, struct strbuf *out)
{
	struct evidence_event first;
	size_t column = 0;
	char word[128];

	for (size_t i = 0, n; i < w->order.n; i += n) {
		const char *name;
		size_t plain = 0;

		n = run_length(w, ev, i, &first);
		name = trace_thread_name(evidence_trace(ev), first.tid);
		snprintf(word, sizeof(word), "%.60s:%u-%" PRIu64, name, first.index + 1,
			 (uint64_t)first.index + n);
		for (size_t k = 0; k < n && plain <= sizeof(word); k++)
			plain +=
				(size_t)snprintf(NULL, 0, "%" PRIu64, w->order.at[i + k]) + (k > 0);
		if (strlen(word) < plain && name_is_plain(name)) {
			word_add(out, &column, word);
			continue;
		}
		for (size_t k = 0; k < n; k++) {
			snprintf(word, sizeof(word), "%" PRIu64, w->order.at[i + k]);
			word_add(out, &column, word);
		}
	}
	if (column != 0)
		strbuf_adds(out, "\n");
}

/* One line for each of the spec, behind one blank: any text comes back as it was, but for a newline at
 * its end. */
static void spec_format(const struct strbuf *spec, struct strbuf *out)
{
	const char *at = strbuf_str(spec), *end = at + spec->n;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		strbuf_adds(out, "spec ");
		strbuf_add(out, at, (size_t)(stop - at));
		strbuf_adds(out, "\n");
		at = newline ? newline + 1 : end;
	}
}

void witness_format(const struct witness *w, const struct evidence *ev, struct strbuf *out)
{
	strbuf_adds(out, "witness 1\n");
	if (w->digest[0])
		strbuf_addf(out, "trace   %s\n", w->digest);
	strbuf_addf(out, "kind    %s", finding_kind_name(w->kind));
	if (w->property)
		strbuf_addf(out, ":%s", w->property);
	strbuf_adds(out, w->targets.n ? "\ntarget " : "\ntarget  none");
	ids_format(w->targets.at, w->targets.n, out);
	strbuf_adds(out, "\nrelaxed");
	if (w->stray.n == 0)
		strbuf_adds(out, " none");
	ids_format(w->stray.at, w->stray.n, out);
	strbuf_addf(out, "\nmodel   %s\n", w->dep ? "dep" : "strict");
	if (w->values)
		strbuf_adds(out, "values\n");
	if (w->block != FINDING_BLOCK_MARKED)
		strbuf_addf(out, "block   %s\n", finding_block_name(w->block));
	for (size_t i = 0; i < w->atomic.n; i++)
		strbuf_addf(out, "atomic  %s\n", w->atomic.at[i]);
	spec_format(&w->spec, out);
	strbuf_adds(out, "order\n");
	order_format(w, ev, out);
}

struct check_claim witness_claim(const struct witness *w)
{
	static const uint64_t none; /* not NULL: that is for who names nothing */

	return (struct check_claim){
		.kind = w->kind,
		.targets = w->targets.at,
		.ntargets = (uint32_t)w->targets.n,
		.order = w->order.at,
		.norder = w->order.n,
		.stray = w->stray.at ? w->stray.at : &none,
		.nstray = w->stray.n,
		.block = w->block,
		.strict = !w->dep,
		.values = w->values,
		.property = w->property,
	};
}
