/*
 * Witness files: from text.
 *
 * A file is hostile: a range may name a million events in ten bytes, so an order is cut off as
 * soon as it has more events than the trace.
 */

#include "spec/spec.h"
#include "trace/trace.h"
#include "witness/evidence.h"
#include "witness/witness.h"

#define LONGEST_NAME 1000 /* of a property, of a function */
#define ATOMIC_MOST 1000  /* functions */

struct parser {
	const char *name;
	const struct evidence *ev; /* NULL: only what needs no trace */
	const char *at, *end, *line_at;
	unsigned line;
	struct diag *d;
	const char *word; /* the present word; it does not end in NUL */
	size_t nword;
	unsigned seen; /* mask of lines, by their number in the table */
	bool done;     /* what needs no trace has been read, and there is none */
};

__attribute__((format(printf, 2, 3))) static enum status bad(struct parser *p, const char *format,
							     ...)
{
	const char *from = p->word ? p->word : p->at;
	char what[300];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	return diag_fail(p->d, ST_BAD_INPUT, "%.150s:%u:%u: %s", p->name, p->line,
			 (unsigned)(from - p->line_at) + 1, what);
}

/* The next word of this line; false at its end. */
static bool word_next(struct parser *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
		p->at++;
	p->word = NULL;
	if (p->at == p->end || *p->at == '\n' || *p->at == '#')
		return false;
	p->word = p->at;
	while (p->at < p->end && !strchr(" \t\r\n#", *p->at))
		p->at++;
	/* strchr finds the NUL of its list as well: a NUL in the file is a word of its own. */
	if (p->at == p->word)
		p->at++;
	p->nword = (size_t)(p->at - p->word);
	return true;
}

static bool word_is(const struct parser *p, const char *s)
{
	return strlen(s) == p->nword && memcmp(p->word, s, p->nword) == 0;
}

/* To the line after this one; false at the end of the file. */
static bool line_next(struct parser *p)
{
	const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));

	p->word = NULL;
	if (!newline) {
		p->at = p->end;
		return false;
	}
	p->at = p->line_at = newline + 1;
	p->line++;
	return true;
}

static bool number_parse(const char *s, size_t n, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9' || *out > (UINT64_MAX - 9) / 10)
			return false;
		*out = *out * 10 + (uint64_t)(s[i] - '0');
	}
	return n > 0;
}

static int shown(const struct parser *p)
{
	return (int)(p->nword < 40 ? p->nword : 40);
}

static enum status id_take(struct parser *p, uint64_t *out)
{
	if (!number_parse(p->word, p->nword, out))
		return bad(p, "'%.*s' is no event number", shown(p), p->word);
	if (p->ev && (*out == 0 || *out > evidence_count(p->ev)))
		return bad(p, "event %.*s is not in the trace, which has %" PRIu64, shown(p),
			   p->word, evidence_count(p->ev));
	return ST_OK;
}

static bool thread_is(const struct evidence *ev, uint32_t tid, const char *s, size_t n)
{
	const char *name = trace_thread_name(evidence_trace(ev), tid);

	return name && strlen(name) == n && memcmp(name, s, n) == 0;
}

/* By name; T5 and 5 are the same; else a number counts threads.  0: there is none. */
static uint32_t thread_find(const struct evidence *ev, const char *s, size_t n)
{
	uint32_t count = trace_thread_count(evidence_trace(ev));
	char other[64];
	uint64_t number;

	if (n == 0 || n > sizeof(other) - 2)
		return 0;
	for (uint32_t tid = 1; tid <= count; tid++)
		if (thread_is(ev, tid, s, n))
			return tid;
	snprintf(other, sizeof(other), "T%.*s", (int)n, s);
	for (uint32_t tid = 1; tid <= count; tid++)
		if (thread_is(ev, tid, other, n + 1) ||
		    (s[0] == 'T' && thread_is(ev, tid, s + 1, n - 1)))
			return tid;
	return number_parse(s, n, &number) && number >= 1 && number <= count ? (uint32_t)number : 0;
}

static enum status order_push(struct parser *p, uint64_t pos, struct witness *out)
{
	if (out->order.n > evidence_count(p->ev))
		return bad(p, "the order has more events than the trace, which has %" PRIu64,
			   evidence_count(p->ev));
	*VEC_PUSH(&out->order) = pos;
	return ST_OK;
}

/* tid:from-to, or tid:number */
static enum status range_take(struct parser *p, const char *colon, struct witness *out)
{
	const char *from = colon + 1, *end = p->word + p->nword;
	const char *dash = memchr(from, '-', (size_t)(end - from));
	uint32_t tid = thread_find(p->ev, p->word, (size_t)(colon - p->word));
	uint64_t a, b;

	if (tid == 0)
		return bad(p, "'%.*s' names no thread of the trace",
			   (int)(colon - p->word < 40 ? colon - p->word : 40), p->word);
	if (!number_parse(from, (size_t)((dash ? dash : end) - from), &a) ||
	    !number_parse(dash ? dash + 1 : from, (size_t)(end - (dash ? dash + 1 : from)), &b))
		return bad(p, "'%.*s' is no range; expected thread:from-to", shown(p), p->word);
	if (a == 0 || a > b || b > UINT32_MAX || evidence_find(p->ev, tid, (uint32_t)b - 1) == 0)
		return bad(p, "thread %.*s has no events %" PRIu64 " to %" PRIu64,
			   (int)(colon - p->word < 40 ? colon - p->word : 40), p->word, a, b);
	for (; a <= b; a++) {
		enum status st = order_push(p, evidence_find(p->ev, tid, (uint32_t)a - 1), out);

		if (st != ST_OK)
			return st;
	}
	return ST_OK;
}

static enum status order_take(struct parser *p, struct witness *out)
{
	do {
		while (word_next(p)) {
			/* The last colon: names of threads may hold some. */
			const char *colon = memrchr(p->word, ':', p->nword);
			enum status st;
			uint64_t pos;

			if (colon) {
				st = range_take(p, colon, out);
			} else {
				st = id_take(p, &pos);
				if (st == ST_OK)
					st = order_push(p, pos, out);
			}
			if (st != ST_OK)
				return st;
		}
	} while (line_next(p));
	return ST_OK;
}

/* The numbers up to the end of the line, or the word none instead. */
static enum status ids_take(struct parser *p, struct witness *w, bool stray)
{
	__typeof__(w->targets) *out = stray ? &w->stray : &w->targets;

	while (word_next(p)) {
		enum status st;
		uint64_t pos;

		if (out->n == 0 && word_is(p, "none"))
			return ST_OK;
		st = id_take(p, &pos);
		if (st != ST_OK)
			return st;
		if (stray && out->n >= evidence_count(p->ev))
			return bad(p, "more events than the trace has");
		*VEC_PUSH(out) = pos;
	}
	if (stray && out->n == 0)
		return bad(p, "expected event numbers or 'none' after 'relaxed'");
	if (!stray && (out->n == 0 || out->n > FINDING_EVENTS))
		return bad(p, "expected 1 to %d event numbers after 'target'", FINDING_EVENTS);
	return ST_OK;
}

static enum status target_take(struct parser *p, struct witness *out)
{
	return ids_take(p, out, false);
}

static enum status stray_take(struct parser *p, struct witness *out)
{
	out->has_stray = true;
	return ids_take(p, out, true);
}

/* The word is KIND:NAME, and the kind has properties. */
static bool is_kind_of(const struct parser *p, enum finding_kind k, const char *name)
{
	size_t n = strlen(name);

	return (k == FINDING_PROPERTY || k == FINDING_PROPERTY_ERROR) && p->nword > n + 1 &&
	       memcmp(p->word, name, n) == 0 && p->word[n] == ':';
}

static enum status name_take(struct parser *p, enum finding_kind k, size_t n, struct witness *out)
{
	out->kind = k;
	if (p->nword - n > LONGEST_NAME || memchr(p->word, '\0', p->nword))
		return bad(p, "the property's name is too long, or no name");
	out->property = mem_text(p->word + n, p->nword - n);
	return ST_OK;
}

static enum status kind_take(struct parser *p, struct witness *out)
{
	if (!word_next(p))
		return bad(p, "expected a kind");
	for (enum finding_kind k = 0; k < FINDING_NKINDS; k++) {
		const char *name = finding_kind_name(k);

		if (is_kind_of(p, k, name))
			return name_take(p, k, strlen(name) + 1, out);
		if (!word_is(p, name))
			continue;
		out->kind = k;
		if (k == FINDING_PROPERTY || k == FINDING_PROPERTY_ERROR)
			return bad(p, "expected the property's name, as %s:NAME", name);
		return ST_OK;
	}
	return bad(p, "unknown kind '%.*s'", shown(p), p->word);
}

static enum status digest_take(struct parser *p, struct witness *out)
{
	bool good = word_next(p) && p->nword == sizeof(out->digest) - 1;

	for (size_t i = 0; good && i < p->nword; i++) {
		char ch = p->word[i];

		if (ch >= 'A' && ch <= 'F')
			ch = (char)(ch - 'A' + 'a');
		good = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f');
		out->digest[i] = ch;
	}
	if (!good)
		return bad(p, "expected 64 hexadecimal digits after 'trace'");
	return ST_OK;
}

static enum status model_take(struct parser *p, struct witness *out)
{
	if (!word_next(p) || (!word_is(p, "dep") && !word_is(p, "strict")))
		return bad(p, "expected 'dep' or 'strict' after 'model'");
	out->dep = word_is(p, "dep");
	return ST_OK;
}

/* All behind one blank belongs to the spec, be it a comment to us. */
static enum status spec_take(struct parser *p, struct witness *out)
{
	const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
	const char *stop = newline ? newline : p->end;

	if (p->at < stop && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
	if (out->spec.n + (size_t)(stop - p->at) >= SPEC_BYTES)
		return bad(p, "the spec is too long: at most %u MiB", SPEC_BYTES >> 20);
	strbuf_add(&out->spec, p->at, (size_t)(stop - p->at));
	strbuf_adds(&out->spec, "\n");
	p->at = stop;
	return ST_OK;
}

static enum status block_take(struct parser *p, struct witness *out)
{
	if (!word_next(p))
		return bad(p, "expected a kind of block");
	for (enum finding_block b = 0; b < FINDING_NBLOCKS; b++)
		if (word_is(p, finding_block_name(b))) {
			out->block = b;
			return ST_OK;
		}
	return bad(p, "unknown kind of block '%.*s'", shown(p), p->word);
}

static enum status atomic_take(struct parser *p, struct witness *out)
{
	if (!word_next(p) || p->nword > LONGEST_NAME || memchr(p->word, '\0', p->nword))
		return bad(p, "expected the name of a function after 'atomic'");
	if (out->atomic.n == ATOMIC_MOST)
		return bad(p, "more than %d functions that are meant to be atomic", ATOMIC_MOST);
	texts_add(&out->atomic, "%.*s", (int)p->nword, p->word);
	return ST_OK;
}

static enum status values_take(struct parser *p, struct witness *out)
{
	(void)p;
	out->values = true;
	return ST_OK;
}

static enum status skip(struct parser *p, struct witness *out)
{
	(void)out;
	while (word_next(p))
		;
	return ST_OK;
}

static enum status version_take(struct parser *p, struct witness *out)
{
	(void)out;
	if (!word_next(p) || !word_is(p, "1"))
		return bad(p, "unknown version; this program reads 'witness 1'");
	return ST_OK;
}

enum { NEEDED = 1, REPEATED = 2, OF_TRACE = 4, LAST = 8 };

/* The lines of a file, by their first words; the first one comes first. */
static const struct line {
	const char *word;
	enum status (*take)(struct parser *p, struct witness *out);
	unsigned is; /* OF_TRACE: only a trace tells what it means */
} lines[] = {
	{ "witness", version_take, NEEDED },
	{ "trace", digest_take, 0 },
	{ "kind", kind_take, NEEDED },
	{ "target", target_take, NEEDED },
	{ "relaxed", stray_take, OF_TRACE },
	{ "model", model_take, 0 },
	{ "tainted", skip, 0 }, /* found out anew, never believed */
	{ "values", values_take, 0 },
	{ "spec", spec_take, REPEATED },
	{ "block", block_take, 0 },
	{ "atomic", atomic_take, REPEATED },
	{ "order", order_take, NEEDED | OF_TRACE | LAST },
};
#define NLINES (sizeof(lines) / sizeof(lines[0]))

static enum status line_take(struct parser *p, struct witness *out)
{
	unsigned n = 0;
	const struct line *l;
	enum status st;

	if (!word_next(p))
		return ST_OK;
	while (n < NLINES && !word_is(p, lines[n].word))
		n++;
	if (p->seen == 0 && n != 0)
		return bad(p, "not a witness: expected 'witness 1' first");
	if (n == NLINES)
		return bad(p, "unknown word '%.*s' at the start of a line", shown(p), p->word);
	l = &lines[n];
	if ((p->seen >> n & 1) && !(l->is & REPEATED))
		return bad(p, "a second line '%s'", l->word);
	p->seen |= 1u << n;
	p->done = !p->ev && (l->is & LAST);
	st = (l->is & OF_TRACE && !p->ev ? skip : l->take)(p, out);
	if (st == ST_OK && word_next(p))
		return bad(p, "unexpected '%.*s' after '%s'", shown(p), p->word, l->word);
	return st;
}

/* Cuts the targets of a race off the end of the order, whichever way they are arranged there. */
static void targets_strip(struct witness *w)
{
	size_t n = w->targets.n, rest = w->order.n - n;

	if (w->kind != FINDING_RACE || w->order.n < n)
		return;
	for (size_t i = 0; i < n; i++) {
		bool there = false;

		for (size_t k = rest; k < w->order.n; k++)
			there |= w->order.at[k] == w->targets.at[i];
		if (!there)
			return;
	}
	w->order.n = rest;
}

enum status witness_parse(const char *text, size_t n, const char *name, const struct evidence *ev,
			  struct witness *out, struct diag *d)
{
	struct parser p = { .name = name,
			    .ev = ev,
			    .at = text,
			    .end = text + n,
			    .line_at = text,
			    .line = 1,
			    .d = d };
	enum status st;

	memset(out, 0, sizeof(*out));
	do {
		st = line_take(&p, out);
	} while (st == ST_OK && !p.done && line_next(&p));
	for (unsigned i = 0; st == ST_OK && i < NLINES; i++)
		if ((lines[i].is & NEEDED) && !(p.seen >> i & 1))
			st = bad(&p, "the file ends without a line '%s'", lines[i].word);
	if (st == ST_OK && ev && out->targets.n == 0 && !out->property)
		st = bad(&p, "only the witness of a property may have no target");
	if (st == ST_OK)
		targets_strip(out);
	else
		witness_release(out);
	return st;
}
