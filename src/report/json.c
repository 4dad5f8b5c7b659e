#include "report/json.h"

#include <math.h>

/* Bytes of the UTF-8 character at s, 0 when it is none.  Overlong forms and surrogates are none. */
static int utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		int n;
	} forms[] = {
		{ 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (s[0] < forms[i].first_low || s[0] > forms[i].first_high)
			continue;
		if (forms[i].n == 1)
			return 1;
		if (s[1] < forms[i].second_low || s[1] > forms[i].second_high)
			return 0;
		for (int k = 2; k < forms[i].n; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].n;
	}
	return 0;
}

static void quote(FILE *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', to);
	while (*s) {
		int n = utf8_length(s);

		if (n == 0)
			fputs("\\ufffd", to);
		else if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(to, "\\u%04x", *s);
		else
			fwrite(s, 1, (size_t)n, to);
		s += n ? n : 1;
	}
	putc('"', to);
}

static void begin(struct json *j, const char *key)
{
	if (j->more)
		fputs(", ", j->to);
	j->more = true;
	if (!key)
		return;
	quote(j->to, key);
	fputs(": ", j->to);
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	putc(bracket, j->to);
	j->more = false;
}

void json_close(struct json *j, char bracket)
{
	putc(bracket, j->to);
	j->more = true;
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin(j, key);
	if (value)
		quote(j->to, value);
	else
		fputs("null", j->to);
}

void json_strings(struct json *j, const char *key, const char *const *at, size_t n)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < n; i++)
		json_string(j, NULL, at[i]);
	json_close(j, ']');
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->to, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->to, "%" PRId64, value);
}

void json_real(struct json *j, const char *key, double value)
{
	assert(isfinite(value));
	begin(j, key);
	fprintf(j->to, "%.6g", value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->to);
}
