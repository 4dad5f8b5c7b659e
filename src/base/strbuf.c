#include "base/common.h"

#include <unistd.h>

void strbuf_add(struct strbuf *b, const void *bytes, size_t n)
{
	b->at = mem_grow(b->at, &b->capacity, b->n + n + 1, 1);
	if (n != 0) /* nothing may be nowhere */
		memcpy(b->at + b->n, bytes, n);
	b->n += n;
	b->at[b->n] = '\0';
}

void strbuf_adds(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_addf(struct strbuf *b, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	b->at = mem_grow(b->at, &b->capacity, b->n + (size_t)n + 1, 1);
	va_start(ap, format);
	vsnprintf(b->at + b->n, (size_t)n + 1, format, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void strbuf_clear(struct strbuf *b)
{
	b->n = 0;
	if (b->at != NULL)
		b->at[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
	mem_free(b->at);
	b->at = NULL;
	b->n = b->capacity = 0;
}

const char *strbuf_str(const struct strbuf *b)
{
	return b->at != NULL ? b->at : "";
}

bool strbuf_add_number(struct strbuf *b, const void *bytes, uint64_t len)
{
	uint64_t v = 0;

	if (len > sizeof(v))
		return false;
	memcpy(&v, bytes, len);
	strbuf_addf(b, "%" PRIu64, v);
	return true;
}

bool strbuf_read(struct strbuf *b, FILE *f, uint64_t most)
{
	char piece[1 << 14];
	bool good;
	size_t n;

	errno = 0;
	while (b->n <= most && (n = fread(piece, 1, sizeof(piece), f)) > 0)
		strbuf_add(b, piece, n);
	good = !ferror(f);
	if (f != stdin) {
		int error = errno;

		fclose(f);
		errno = error;
	}
	return good;
}

bool strbuf_write(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n > 0;) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}
