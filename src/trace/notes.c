#include "trace/notes.h"

void notes_add(struct notes *n, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (n->list.n > NOTES_MAX)
		return;
	if (n->list.n == NOTES_MAX) {
		*VEC_PUSH(&n->list) = mem_strdup("and more of the kind");
		return;
	}
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	*VEC_PUSH(&n->list) = mem_strdup(text);
}

void notes_release(struct notes *n)
{
	for (size_t i = 0; i < n->list.n; i++)
		mem_free(n->list.at[i]);
	VEC_RELEASE(&n->list);
}
