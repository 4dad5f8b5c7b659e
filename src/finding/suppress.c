#include "finding/suppress.h"

#include <fnmatch.h>

#define ANY_KIND FINDING_NKINDS
#define LONGEST_QUOTE 40  /* of a rule in a message */
#define LONGEST_RULE 4096 /* fnmatch takes time that grows fast with the stars of a pattern */

/* A lock is a variable: two words for the same names. */
enum part { PART_VARIABLE, PART_LOCK, PART_FUNCTION, PART_FILE, PART_PROPERTY, NPARTS };
static const char *const part_names[] = { "variable", "lock", "function", "file", "property" };

struct rule {
	unsigned kind; /* enum finding_kind or ANY_KIND */
	enum part part;
	const char *glob; /* the end of its text */
	struct suppress_rule is;
};

struct suppress {
	VEC(struct rule) rules;
};

void suppress_free(struct suppress *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->rules.n; i++)
		mem_free(s->rules.at[i].is.text);
	VEC_RELEASE(&s->rules);
	mem_free(s);
}

void suppress_join(struct suppress **into, struct suppress *more)
{
	if (!*into) {
		*into = more;
		return;
	}
	VEC_APPEND(&(*into)->rules, more->rules.at, more->rules.n);
	VEC_CLEAR(&more->rules);
	suppress_free(more);
}

/* ---- reading ---- */

struct spot {
	const char *file;
	uint32_t line, column; /* column: of the start of the text */
	struct diag *d;
};

static enum status complain(const struct spot *p, size_t offset, const char *what, const char *word,
			    int n)
{
	return diag_fail(p->d, ST_BAD_INPUT, "%s:%u:%zu: %s '%.*s'", p->file, p->line,
			 p->column + offset, what, n < LONGEST_QUOTE ? n : LONGEST_QUOTE, word);
}

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static bool kind_parse(const char *s, size_t n, unsigned *out)
{
	if (is_word(s, n, "*")) {
		*out = ANY_KIND;
		return true;
	}
	for (*out = 0; *out < FINDING_NKINDS; ++*out)
		if (is_word(s, n, finding_kind_name(*out)))
			return true;
	return false;
}

static bool part_parse(const char *s, size_t n, enum part *out)
{
	for (*out = 0; *out < NPARTS; ++*out)
		if (is_word(s, n, part_names[*out]))
			return true;
	return false;
}

/* A line without its blanks, n > 0 characters. */
static enum status rule_parse(struct suppress *s, const struct spot *p, const char *at, size_t n)
{
	const char *end = at + n;
	const char *first = memchr(at, ':', n);
	const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
	struct rule r = { .is.line = p->line };

	if (n > LONGEST_RULE)
		return complain(p, 0, "rule too long:", at, LONGEST_QUOTE);
	if (memchr(at, '\0', n))
		return complain(p, strlen(at), "NUL in rule", at, LONGEST_QUOTE);
	if (!second)
		return complain(p, 0, "expected KIND:PART:GLOB, not", at, (int)n);
	if (!kind_parse(at, (size_t)(first - at), &r.kind))
		return complain(p, 0, "unknown kind of finding", at, (int)(first - at));
	if (!part_parse(first + 1, (size_t)(second - first - 1), &r.part))
		return complain(p, (size_t)(first + 1 - at),
				"expected variable, lock, function, file or property, not",
				first + 1, (int)(second - first - 1));
	if (second + 1 == end)
		return complain(p, n, "empty pattern after", at, (int)n);
	r.is.text = mem_text(at, n);
	r.glob = r.is.text + (second + 1 - at);
	*VEC_PUSH(&s->rules) = r;
	return ST_OK;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static enum status line_parse(struct suppress *s, struct spot *p, const char *at, size_t n)
{
	size_t skipped = 0;

	while (n > 0 && is_blank(at[n - 1]))
		n--;
	while (skipped < n && is_blank(at[skipped]))
		skipped++;
	if (skipped == n || at[skipped] == '#')
		return ST_OK;
	p->column = (uint32_t)skipped + 1;
	return rule_parse(s, p, at + skipped, n - skipped);
}

enum status suppress_parse(const char *text, size_t n, const char *name, struct suppress **out,
			   struct diag *d)
{
	struct suppress *s = mem_zalloc(sizeof(*s));
	struct spot p = { .file = name, .line = 1, .d = d };
	enum status st = ST_OK;

	*out = NULL;
	for (size_t at = 0; at < n && st == ST_OK; p.line++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end ? (size_t)(end - text) - at : n - at;

		st = line_parse(s, &p, text + at, length);
		at += length + 1;
	}
	if (st == ST_OK)
		*out = s;
	else
		suppress_free(s);
	return st;
}

enum status suppress_read(const char *path, struct suppress **out, struct diag *d)
{
	STRBUF_SCOPED text = { 0 };
	FILE *f = fopen(path, "re");

	*out = NULL;
	if (!f || !strbuf_read(&text, f, UINT64_MAX - 1))
		return diag_fail(d, ST_IO, "cannot read '%s': %s", path, strerror(errno));
	return suppress_parse(strbuf_str(&text), text.n, path, out, d);
}

/* ---- matching ---- */

void suppress_begin(struct suppress *s)
{
	for (size_t i = 0; i < s->rules.n; i++)
		s->rules.at[i].is.hits = 0;
}

static bool rule_matches(const struct rule *r, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *slash = r->part == PART_FILE ? strrchr(names[i], '/') : NULL;

		if (fnmatch(r->glob, names[i], 0) == 0 ||
		    (slash && fnmatch(r->glob, slash + 1, 0) == 0))
			return true;
	}
	return false;
}

bool suppress_match(struct suppress *s, enum finding_kind kind, const struct suppress_names *names)
{
	for (size_t i = 0; i < s->rules.n; i++) {
		struct rule *r = &s->rules.at[i];
		bool matches = false;

		if (r->kind != ANY_KIND && r->kind != kind)
			continue;
		if (r->part == PART_VARIABLE || r->part == PART_LOCK)
			matches = rule_matches(r, names->variables.at, names->variables.n);
		else if (r->part == PART_FUNCTION)
			matches = rule_matches(r, names->functions.at, names->functions.n);
		else if (r->part == PART_FILE)
			matches = rule_matches(r, names->files.at, names->files.n);
		else
			matches = names->property && rule_matches(r, &names->property, 1);
		if (!matches)
			continue;
		r->is.hits++;
		r->is.used = true;
		return true;
	}
	return false;
}

size_t suppress_count(const struct suppress *s)
{
	return s->rules.n;
}

struct suppress_rule suppress_rule(const struct suppress *s, size_t i)
{
	assert(i < s->rules.n);
	return s->rules.at[i].is;
}
