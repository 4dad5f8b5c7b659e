#include "capture/common.h"

static void bytes_add(struct text *t, const char *s, size_t n)
{
	n = n < TEXT_ROOM - t->n ? n : TEXT_ROOM - t->n;
	memcpy(t->at + t->n, s, n);
	t->n += n;
}

static void number_add(struct text *t, unsigned long x, unsigned base)
{
	char digits[24], *end = digits + sizeof(digits), *p = end;

	do
		*--p = "0123456789abcdef"[x % base];
	while ((x /= base) != 0);
	bytes_add(t, p, (size_t)(end - p));
}

void text_add_list(struct text *t, const char *format, va_list args)
{
	size_t n;

	for (const char *f = format; *f != '\0'; f += n) {
		n = strncmp(f, "%s", 2) == 0 ? 2 : strncmp(f, "%l", 2) == 0 ? 3 : 0;
		if (n == 2) {
			const char *s = va_arg(args, const char *);

			bytes_add(t, s, strlen(s));
		} else if (n == 3) {
			number_add(t, va_arg(args, unsigned long), f[2] == 'x' ? 16 : 10);
		} else {
			n = 1 + strcspn(f + 1, "%");
			bytes_add(t, f, n);
		}
	}
}

void text_add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_add_list(t, format, args);
	va_end(args);
}

const char *text_behind(const char *s, char sign)
{
	const char *at = strrchr(s, sign);

	return at != NULL ? at + 1 : s;
}
