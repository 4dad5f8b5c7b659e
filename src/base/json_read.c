#include "base/json_read.h"

#include "base/common.h"

struct reader {
	struct json_tree *t;
	const char *begin, *at, *end;
	const char *name;
	struct diag *d;
};

static enum status complain(const struct reader *r, const char *what)
{
	const char *line = r->begin;
	size_t number = 1;

	for (const char *p = r->begin; p < r->at; p++)
		if (*p == '\n') {
			line = p + 1;
			number++;
		}
	return diag_fail(r->d, ST_BAD_INPUT, "%s:%zu:%zu: %s", r->name, number,
			 (size_t)(r->at - line) + 1, what);
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static bool is_next(struct reader *r, char c)
{
	return r->at < r->end && *r->at == c;
}

static bool take(struct reader *r, char c)
{
	bool is = is_next(r, c);

	r->at += is;
	return is;
}

static uint32_t node_new(struct reader *r, enum json_type type)
{
	*VEC_PUSH(&r->t->at) = (struct json_node){ .type = type };
	return (uint32_t)(r->t->at.n - 1);
}

/* ---- strings ---- */

static void put(struct reader *r, unsigned c)
{
	*VEC_PUSH(&r->t->text) = (char)c;
}

static void put_character(struct reader *r, uint32_t c)
{
	if (c < 0x80) {
		put(r, c);
	} else if (c < 0x800) {
		put(r, 0xc0 | c >> 6);
		put(r, 0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		put(r, 0xe0 | c >> 12);
		put(r, 0x80 | (c >> 6 & 0x3f));
		put(r, 0x80 | (c & 0x3f));
	} else {
		put(r, 0xf0 | c >> 18);
		put(r, 0x80 | (c >> 12 & 0x3f));
		put(r, 0x80 | (c >> 6 & 0x3f));
		put(r, 0x80 | (c & 0x3f));
	}
}

static bool take_hex(struct reader *r, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at | 0x20) : NULL;

		if (!digit || !*digit)
			return false;
		*out = *out << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

/* Behind the u.  A half of a pair without the other, and NUL, which would end the text, are U+FFFD. */
static bool take_unicode(struct reader *r)
{
	uint32_t c, low;

	if (!take_hex(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
	    r->at[1] == 'u') {
		const char *was = r->at;

		r->at += 2;
		if (!take_hex(r, &low))
			return false;
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		else
			r->at = was;
	}
	put_character(r, c == 0 || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c);
	return true;
}

static bool take_escape(struct reader *r)
{
	static const char names[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (r->at == r->end)
		return false;
	if (take(r, 'u'))
		return take_unicode(r);
	at = *r->at ? strchr(names, *r->at) : NULL;
	if (!at)
		return false;
	put(r, (unsigned char)is[at - names]);
	r->at++;
	return true;
}

/* Behind the quote. */
static enum status read_string(struct reader *r, size_t *out)
{
	*out = r->t->text.n;
	while (!take(r, '"')) {
		if (r->at == r->end)
			return complain(r, "a string that does not end");
		if (*r->at == '\0' || *r->at == '\n')
			return complain(r, "a character that a string cannot hold");
		if (!take(r, '\\'))
			put(r, (unsigned char)*r->at++);
		else if (!take_escape(r))
			return complain(r, "bad escape in a string");
	}
	put(r, 0);
	return ST_OK;
}

/* ---- values ---- */

static enum status read_value(struct reader *r, int depth, uint32_t *out);

/* The elements of an array or the members of an object, behind its bracket. */
static enum status read_list(struct reader *r, uint32_t list, char end, int depth)
{
	uint32_t node, last = JSON_NONE;
	size_t key = 0;

	for (skip_blanks(r); !take(r, end); skip_blanks(r)) {
		if (last != JSON_NONE && !take(r, ','))
			return complain(r, "expected a comma, or the end of the list");
		skip_blanks(r);
		if (end == '}') {
			if (!take(r, '"'))
				return complain(r, "expected a name in quotes");
			if (read_string(r, &key) != ST_OK)
				return ST_BAD_INPUT;
			skip_blanks(r);
			if (!take(r, ':'))
				return complain(r, "expected a colon");
		}
		if (read_value(r, depth + 1, &node) != ST_OK)
			return ST_BAD_INPUT;
		r->t->at.at[node].key = key;
		if (last == JSON_NONE)
			r->t->at.at[list].first = node;
		else
			r->t->at.at[last].next = node;
		last = node;
	}
	return ST_OK;
}

static enum status read_number(struct reader *r, uint32_t *out)
{
	const char *begin = r->at;
	char *end;

	while (r->at < r->end && *r->at && strchr("+-.0123456789eE", *r->at))
		r->at++;
	*out = node_new(r, JSON_NUMBER);
	r->t->at.at[*out].text = r->t->text.n;
	VEC_APPEND(&r->t->text, begin, (size_t)(r->at - begin));
	put(r, 0);
	strtod(r->t->text.at + r->t->at.at[*out].text, &end);
	return begin < r->at && !*end ? ST_OK : complain(r, "expected a value");
}

static bool take_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static enum status read_value(struct reader *r, int depth, uint32_t *out)
{
	static const char *const words[] = {
		[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"
	};
	size_t text;

	skip_blanks(r);
	if (depth > JSON_DEEPEST)
		return complain(r, "lists within lists, too deep");
	if (r->t->at.n == UINT32_MAX)
		return complain(r, "too many values");
	if (is_next(r, '[') || is_next(r, '{')) {
		char end = *r->at++ == '[' ? ']' : '}';

		*out = node_new(r, end == ']' ? JSON_ARRAY : JSON_OBJECT);
		return read_list(r, *out, end, depth);
	}
	if (take(r, '"')) {
		if (read_string(r, &text) != ST_OK)
			return ST_BAD_INPUT;
		*out = node_new(r, JSON_STRING);
		r->t->at.at[*out].text = text;
		return ST_OK;
	}
	for (enum json_type i = JSON_NULL; i <= JSON_TRUE; i++)
		if (take_word(r, words[i])) {
			*out = node_new(r, i);
			return ST_OK;
		}
	return read_number(r, out);
}

enum status json_read(struct json_tree *t, const char *text, size_t n, const char *name,
		      uint32_t *all, struct diag *d)
{
	struct reader r = {
		.t = t, .begin = text, .at = text, .end = text + n, .name = name, .d = d
	};
	uint32_t node, last = JSON_NONE;

	if (t->at.n == 0) {
		node_new(&r, JSON_NULL);
		put(&r, 0);
	}
	*all = node_new(&r, JSON_ARRAY);
	for (skip_blanks(&r); r.at < r.end; skip_blanks(&r)) {
		if (read_value(&r, 1, &node) != ST_OK)
			return ST_BAD_INPUT;
		*(last == JSON_NONE ? &t->at.at[*all].first : &t->at.at[last].next) = node;
		last = node;
	}
	return last == JSON_NONE ? complain(&r, "nothing in it") : ST_OK;
}

enum status json_read_file(struct json_tree *t, const char *path, uint32_t *all, struct diag *d)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	STRBUF_SCOPED text = { 0 };

	if (!f || !strbuf_read(&text, f, JSON_LONGEST))
		return diag_fail(d, ST_IO, "cannot read '%s': %s", path, strerror(errno));
	if (text.n > JSON_LONGEST)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is too long for a report", path);
	return json_read(t, strbuf_str(&text), text.n, path, all, d);
}

void json_tree_release(struct json_tree *t)
{
	VEC_RELEASE(&t->at);
	VEC_RELEASE(&t->text);
}

/* ---- questions ---- */

bool json_is(const struct json_tree *t, uint32_t node, enum json_type type)
{
	return node != JSON_NONE && t->at.at[node].type == type;
}

uint32_t json_first(const struct json_tree *t, uint32_t node)
{
	return node == JSON_NONE ? JSON_NONE : t->at.at[node].first;
}

uint32_t json_next(const struct json_tree *t, uint32_t node)
{
	return node == JSON_NONE ? JSON_NONE : t->at.at[node].next;
}

const char *json_key(const struct json_tree *t, uint32_t node)
{
	return t->text.at + t->at.at[node].key;
}

uint32_t json_get(const struct json_tree *t, uint32_t node, const char *key)
{
	if (!json_is(t, node, JSON_OBJECT))
		return JSON_NONE;
	for (uint32_t i = json_first(t, node); i != JSON_NONE; i = json_next(t, i))
		if (strcmp(json_key(t, i), key) == 0)
			return i;
	return JSON_NONE;
}

const char *json_text(const struct json_tree *t, uint32_t node)
{
	return json_is(t, node, JSON_STRING) ? t->text.at + t->at.at[node].text : NULL;
}

uint64_t json_uint(const struct json_tree *t, uint32_t node)
{
	const char *text = json_is(t, node, JSON_NUMBER) ? t->text.at + t->at.at[node].text : "";
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno ? n : 0;
}

bool json_is_true(const struct json_tree *t, uint32_t node)
{
	return json_is(t, node, JSON_TRUE);
}
