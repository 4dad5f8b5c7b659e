/* A string that grows.  Always NUL-terminated once anything was added; may hold NULs. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *at;
	size_t n, capacity;
};

void strbuf_add(struct strbuf *b, const void *bytes, size_t n);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_clear(struct strbuf *b);
void strbuf_release(struct strbuf *b);
const char *strbuf_str(const struct strbuf *b); /* never NULL */

#endif /* BASE_STRBUF_H */
