#include "base/common.h"

static void set(struct diag *d, const char *format, va_list ap)
{
	if (d != NULL && d->message[0] == '\0')
		vsnprintf(d->message, sizeof(d->message), format, ap);
}

void diag_set(struct diag *d, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	set(d, format, ap);
	va_end(ap);
}

enum status diag_fail(struct diag *d, enum status st, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	set(d, format, ap);
	va_end(ap);
	return st;
}

void diag_clear(struct diag *d)
{
	d->message[0] = '\0';
}

void diag_bug(const char *file, int line, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "foresee: BUG at %s:%d: ", file, line);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
