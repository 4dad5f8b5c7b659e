/*
 * flatten: JSON as lines that awk can read, and a strict check of it.
 *
 *	{"a": [1, "x\n"], "b": {}}	.a.0=1
 *					.a.1="x\n"
 *					.b={}
 *
 * One text on standard input; strings stay as they are written.  Exit 1 and a message when it is not
 * JSON by RFC 8259 in UTF-8, or when an object has two members of one name.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64
#define MEMBERS 64

static unsigned char *text, *at;
static char path[4096];

static void value(size_t used, int depth);

static void refuse(const char *what)
{
	fprintf(stderr, "not JSON at byte %zu: %s\n", (size_t)(at - text), what);
	exit(1);
}

static void blanks(void)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
}

static bool is_digit(void)
{
	return *at >= '0' && *at <= '9';
}

static bool is_hex(void)
{
	return is_digit() || (*at >= 'a' && *at <= 'f') || (*at >= 'A' && *at <= 'F');
}

static void digits(void)
{
	if (!is_digit())
		refuse("a digit is missing");
	while (is_digit())
		at++;
}

static void number(void)
{
	at += *at == '-';
	if (*at == '0')
		at++;
	else
		digits();
	if (*at == '.') {
		at++;
		digits();
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		digits();
	}
}

static void escape(void)
{
	at++;
	if (*at == 'u') {
		for (int i = 0; i < 4; i++) {
			at++;
			if (!is_hex())
				refuse("bad \\u");
		}
	} else if (*at == '\0' || !strchr("\"\\/bfnrt", *at)) {
		refuse("bad escape");
	}
	at++;
}

/* One character outside ASCII: its shortest form, no surrogate, at most U+10FFFF. */
static void wide(void)
{
	int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : 1;
	unsigned long c = *at & (0x3fu >> more);
	static const unsigned long least[] = { 0, 0x80, 0x800, 0x10000 };

	if (*at < 0xc2 || *at > 0xf4)
		refuse("bad UTF-8");
	at++;
	for (int i = 0; i < more; i++, at++) {
		if ((*at & 0xc0) != 0x80)
			refuse("bad UTF-8");
		c = c << 6 | (*at & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		refuse("bad UTF-8");
}

static void string(void)
{
	if (*at != '"')
		refuse("a string is missing");
	at++;
	while (*at != '"') {
		if (*at < 0x20)
			refuse("control character or end in a string");
		if (*at == '\\')
			escape();
		else if (*at >= 0x80)
			wide();
		else
			at++;
	}
	at++;
}

/* Appends a name to the path; returns its new length. */
static size_t extend(size_t used, const unsigned char *name, size_t n)
{
	if (used + n + 2 > sizeof(path))
		refuse("too deep");
	path[used] = '.';
	memcpy(path + used + 1, name, n);
	return used + 1 + n;
}

/* True when there is another one; else the bracket is behind us. */
static bool another(unsigned char close)
{
	blanks();
	if (*at != ',' && *at != close)
		refuse("a comma or a bracket is missing");
	return *at++ == ',';
}

static void object(size_t used, int depth)
{
	const unsigned char *names[MEMBERS];
	size_t lengths[MEMBERS], n = 0;

	do {
		blanks();
		names[n] = at;
		string();
		lengths[n] = (size_t)(at - names[n]);
		for (size_t i = 0; i < n; i++)
			if (lengths[i] == lengths[n] && !memcmp(names[i], names[n], lengths[n]))
				refuse("two members of one name");
		blanks();
		if (*at != ':')
			refuse("a colon is missing");
		at++;
		value(extend(used, names[n] + 1, lengths[n] - 2), depth);
		if (++n == MEMBERS)
			refuse("too many members for this program");
	} while (another('}'));
}

static void array(size_t used, int depth)
{
	unsigned long n = 0;

	do {
		char name[24];
		int length = snprintf(name, sizeof(name), "%lu", n++);

		value(extend(used, (unsigned char *)name, (size_t)length), depth);
	} while (another(']'));
}

static bool word(const char *w)
{
	size_t n = strlen(w);

	if (strncmp((char *)at, w, n) != 0)
		return false;
	at += n;
	return true;
}

static void scalar(size_t used)
{
	const unsigned char *from = at;

	if (*at == '"')
		string();
	else if (!word("true") && !word("false") && !word("null"))
		number();
	printf("%.*s=%.*s\n", (int)used, path, (int)(at - from), from);
}

static void value(size_t used, int depth)
{
	unsigned char open;

	blanks();
	open = *at;
	if (depth == DEPTH)
		refuse("too deep");
	if (open != '{' && open != '[') {
		scalar(used);
		return;
	}
	at++;
	blanks();
	if (*at == (open == '{' ? '}' : ']')) {
		at++;
		printf("%.*s=%c%c\n", (int)used, path, open, open == '{' ? '}' : ']');
	} else if (open == '{') {
		object(used, depth + 1);
	} else {
		array(used, depth + 1);
	}
}

int main(void)
{
	size_t room = 1 << 20, n = 0, got;

	text = malloc(room);
	while (text && (got = fread(text + n, 1, room - n - 1, stdin)) > 0) {
		n += got;
		if (n + 1 == room)
			text = realloc(text, room *= 2);
	}
	if (!text)
		return 2;
	text[n] = '\0';
	at = text;
	value(0, 0);
	blanks();
	if (at != text + n)
		refuse("more after the end");
	return fflush(stdout) == 0 ? 0 : 2;
}
