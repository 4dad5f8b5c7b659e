/* A string that grows.  Always NUL-terminated once anything was added; may hold NULs. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct strbuf {
	char *at;
	size_t n, capacity;
};

void strbuf_add(struct strbuf *b, const void *bytes, size_t n);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addf(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes as they lie in memory, as one decimal number.  False: they are more than 8. */
bool strbuf_add_number(struct strbuf *b, const void *bytes, uint64_t len);
void strbuf_clear(struct strbuf *b);
void strbuf_release(struct strbuf *b);
/* One that is released where its block ends: STRBUF_SCOPED text = { 0 }; */
#define STRBUF_SCOPED __attribute__((cleanup(strbuf_release))) struct strbuf
const char *strbuf_str(const struct strbuf *b); /* never NULL */

/* All that a file holds, but not much more than `most' bytes.  Closes it, unless it is stdin.  False, errno
 * set: it could not be read. */
bool strbuf_read(struct strbuf *b, FILE *f, uint64_t most);
/* All of these bytes to a file, whatever signals come.  False, errno set: it did not take them. */
bool strbuf_write(int fd, const void *bytes, size_t n);

#endif /* BASE_STRBUF_H */
