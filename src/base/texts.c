#include "base/common.h"

const char *texts_add(struct texts *t, const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		BUG("out of memory for a message");
	va_end(ap);
	return *VEC_PUSH(t) = text;
}

void texts_note(struct texts *t, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (t->n > TEXTS_NOTES)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	texts_add(t, "%s", t->n < TEXTS_NOTES ? text : "and more of the kind");
}

void texts_move(struct texts *into, struct texts *from)
{
	for (size_t i = 0; i < from->n; i++)
		*VEC_PUSH(into) = from->at[i];
	VEC_RELEASE(from);
}

void texts_release(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		mem_free(t->at[i]);
	VEC_RELEASE(t);
}
