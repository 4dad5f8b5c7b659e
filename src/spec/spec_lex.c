/*
 * Bytes to tokens.
 *
 * The bytes are anybody's: what is not ASCII is welcome in comments and strings only, and a NUL
 * nowhere, for the rest of the tool keeps names as C strings.
 */
#include "spec/spec_priv.h"

#include <ctype.h>
#include <math.h>

/* Longer ones first. */
static const char *const signs[] = {
	"<->", "->", "==", "!=", "<=", ">=", "&&", "||", "::", "<", ">",
	"!",   "+",  "-",  "*",	 "/",  "%",  "(",  ")",	 "[",  "]", "{",
	"}",   ",",  ";",  ":",	 "=",  "@",  ".",  "|",	 "&",  "~", "?",
};

static const char *text_end(const struct spec_parser *p)
{
	return p->spec->text + p->spec->ntext;
}

static struct spec_spot spot_here(const struct spec_parser *p)
{
	size_t column = (size_t)(p->at - p->line_at) + 1;

	return (struct spec_spot){ p->line, (uint32_t)column };
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

unsigned spec_lex_utf8(const char *s, const char *end)
{
	unsigned char c = (unsigned char)*s;
	unsigned n = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;

	if (n == 0 || (size_t)(end - s) < n)
		return 0;
	for (unsigned i = 1; i < n; i++) {
		if ((unsigned char)s[i] < low || (unsigned char)s[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

/* What no token starts with: false. */
static bool complain_byte(struct spec_parser *p)
{
	unsigned char c = (unsigned char)*p->at;
	unsigned n = spec_lex_utf8(p->at, text_end(p));

	if (c == 0)
		return spec_fail(p, spot_here(p), "a NUL byte: this is not text");
	if (c < 0x20 || c == 0x7f)
		return spec_fail(p, spot_here(p), "control byte 0x%02x", c);
	if (c < 0x80)
		return spec_fail(p, spot_here(p), "'%c' is no part of the language", c);
	if (n == 0)
		return spec_fail(p, spot_here(p), "byte 0x%02x is not UTF-8", c);
	return spec_fail(p, spot_here(p),
			 "'%.*s' outside a comment or string: names are of ASCII letters", (int)n,
			 p->at);
}

static void newline(struct spec_parser *p)
{
	p->at++;
	p->line++;
	p->line_at = p->at;
}

/* A comment that ends with its line, or the other kind. */
static bool skip_comment(struct spec_parser *p)
{
	struct spec_spot from = spot_here(p);
	const char *end = text_end(p);
	bool line = p->at[1] == '/';

	for (p->at += 2; p->at < end;) {
		if (*p->at == '\0')
			return complain_byte(p);
		if (line && *p->at == '\n')
			return true;
		if (!line && *p->at == '*' && end - p->at > 1 && p->at[1] == '/') {
			p->at += 2;
			return true;
		}
		if (*p->at == '\n')
			newline(p);
		else
			p->at++;
	}
	if (!line)
		spec_fail(p, from, "the comment does not end: '*/' is missing");
	return line;
}

static bool skip_blanks(struct spec_parser *p)
{
	const char *end = text_end(p);

	while (p->at < end) {
		if (*p->at == '\n') {
			newline(p);
		} else if (memchr(" \t\r\v\f", *p->at, 5)) {
			p->at++;
		} else if (*p->at == '/' && end - p->at > 1 &&
			   (p->at[1] == '/' || p->at[1] == '*')) {
			if (!skip_comment(p))
				return false;
		} else {
			break;
		}
	}
	return true;
}

/* ---- numbers ---- */

/* u, l, ll in either order and case; they change nothing. */
static bool is_suffix(const char *s)
{
	static const char *const all[] = { "", "u", "l", "ul", "lu", "ll", "ull", "llu" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcasecmp(s, all[i]) == 0)
			return true;
	return false;
}

static bool integer_read(struct spec_parser *p, const char *text, struct spec_token *t)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long v;
	char *end;

	if (text[0] == '0' && isdigit((unsigned char)text[1]))
		return spec_fail(p, t->spot,
				 "'%s': there are no octal numbers, write 0x or decimal", text);
	errno = 0;
	v = strtoull(text + (hex ? 2 : 0), &end, hex ? 16 : 10);
	if ((hex && !isxdigit((unsigned char)text[2])) || !is_suffix(end))
		return spec_fail(p, t->spot, "bad number '%s'", text);
	if (errno == ERANGE)
		return spec_fail(p, t->spot, "'%s' does not fit 64 bits", text);
	t->number.is_big = v > INT64_MAX;
	t->number.i = (int64_t)v;
	return true;
}

static bool float_read(struct spec_parser *p, const char *text, struct spec_token *t)
{
	char *end;

	t->number.is_float = true;
	t->number.f = strtod(text, &end);
	if (*end == 'f' || *end == 'F') {
		t->number.f = (double)strtof(text, NULL);
		end++;
	}
	if (*end != '\0')
		return spec_fail(p, t->spot, "bad number '%s'", text);
	return isfinite(t->number.f) || spec_fail(p, t->spot, "'%s' is too large", text);
}

/* Digits, letters, a point before a digit, a sign after an exponent. */
static bool number_read(struct spec_parser *p, struct spec_token *t)
{
	bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
	bool is_float = false;
	const char *s = p->at;
	char text[64];

	for (;; s++) {
		bool exponent = !hex && s > p->at && (s[-1] == 'e' || s[-1] == 'E');

		if (!hex && *s == '.' && isdigit((unsigned char)s[1]))
			is_float = true;
		else if (!(exponent && (*s == '+' || *s == '-')) && !is_word_byte(*s))
			break;
		is_float |= !hex && (*s == 'e' || *s == 'E');
	}
	t->n = (size_t)(s - p->at);
	if (t->n >= sizeof(text))
		return spec_fail(p, t->spot, "a number of %zu characters", t->n);
	memcpy(text, p->at, t->n);
	text[t->n] = '\0';
	p->at = s;
	return is_float ? float_read(p, text, t) : integer_read(p, text, t);
}

/* ---- characters and strings ---- */

/* After the backslash; as in C.  -1: none. */
static int escape_read(struct spec_parser *p)
{
	static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *found;
	int v = 0, n = 0;

	if (*p->at == 'x') {
		for (p->at++; n < 2 && isxdigit((unsigned char)*p->at); n++) {
			char c = *p->at++;

			v = v * 16 + (isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
		}
		return n ? v : -1;
	}
	for (; n < 3 && *p->at >= '0' && *p->at <= '7'; n++)
		v = v * 8 + (*p->at++ - '0');
	if (n)
		return v <= 255 ? v : -1;
	found = *p->at ? strchr(letters, *p->at) : NULL;
	if (!found)
		return -1;
	p->at++;
	return meant[found - letters];
}

static bool character_read(struct spec_parser *p, struct spec_token *t)
{
	const char *from = p->at++;
	int v = -1;

	if (*p->at == '\\') {
		p->at++;
		v = escape_read(p);
	} else if (*p->at >= 0x20 && *p->at < 0x7f && *p->at != '\'') {
		v = (unsigned char)*p->at++;
	}
	if (v < 0 || *p->at != '\'')
		return spec_fail(p, t->spot,
				 "bad character constant: one ASCII character in quotes, or an "
				 "escape of C");
	p->at++;
	t->n = (size_t)(p->at - from);
	t->number.i = v < 128 ? v : v - 256; /* char is signed */
	return true;
}

static bool string_read(struct spec_parser *p, struct spec_token *t)
{
	const char *from = ++p->at, *end = text_end(p);
	STRBUF_SCOPED text = { 0 };

	for (; p->at < end && *p->at != '"'; p->at++) {
		if (*p->at == '\n')
			break;
		if ((unsigned char)*p->at < 0x20 || *p->at == 0x7f)
			return complain_byte(p);
		if (*p->at == '\\' && *++p->at != '"' && *p->at != '\\')
			return spec_fail(p, spot_here(p),
					 "in a string a backslash stands before \" or \\ only");
		strbuf_add(&text, p->at, 1);
	}
	if (p->at >= end || *p->at != '"')
		return spec_fail(p, t->spot, "the string does not end on its line");
	if (text.n == 0)
		return spec_fail(p, t->spot, "an empty string");
	p->at++;
	t->n = (size_t)(p->at - from) + 1;
	t->string = spec_copy(p->spec, text.at, text.n);
	return true;
}

/* ---- tokens ---- */

static bool word_read(struct spec_parser *p, struct spec_token *t)
{
	while (is_word_byte(*p->at))
		p->at++;
	t->n = (size_t)(p->at - t->at);
	return true;
}

static bool sign_read(struct spec_parser *p, struct spec_token *t)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		t->n = strlen(signs[i]);
		if (strncmp(p->at, signs[i], t->n) == 0) {
			p->at += t->n;
			return true;
		}
	}
	return complain_byte(p);
}

void spec_lex(struct spec_parser *p)
{
	struct spec_token *t = &p->token;
	bool good;

	memset(t, 0, sizeof(*t));
	if (!skip_blanks(p))
		return;
	t->spot = spot_here(p);
	t->at = p->at;
	if (p->at == text_end(p)) {
		t->kind = SPEC_T_END;
		return;
	}
	if (isdigit((unsigned char)*p->at)) {
		t->kind = SPEC_T_NUMBER;
		good = number_read(p, t);
	} else if (*p->at == '\'') {
		t->kind = SPEC_T_NUMBER;
		good = character_read(p, t);
	} else if (*p->at == '"') {
		t->kind = SPEC_T_STRING;
		good = string_read(p, t);
	} else if (is_word_byte(*p->at)) {
		t->kind = SPEC_T_WORD;
		good = word_read(p, t);
	} else {
		t->kind = SPEC_T_SIGN;
		good = sign_read(p, t);
	}
	if (!good)
		t->kind = SPEC_T_BAD;
}

struct spec_token spec_lex_peek(struct spec_parser *p)
{
	struct spec_parser ahead = *p;

	ahead.d = NULL;
	spec_lex(&ahead);
	return ahead.token;
}
