#include "report/characters.h"

#include <stdbool.h>

#include "base/strbuf.h"

static bool is_start(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

int characters_width(const char *s)
{
	int n = 0;

	for (; s && *s; s++)
		n += is_start(*s);
	return n;
}

void characters_add_first(struct strbuf *out, const char *s, int n)
{
	for (; *s && (n > 0 || !is_start(*s)); s++) {
		n -= is_start(*s);
		strbuf_add(out, s, 1);
	}
}
