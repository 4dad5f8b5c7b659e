/*
 * A trace of any form: find the form, then pass calls through to its source.
 *
 * A prefix of the magic, however short, is a recording that was cut; so is an
 * empty file.  Anything else that looks like text is text.
 */
#include "trace/trace.h"

#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

#include "trace/atomic.h"
#include "trace/format.h"
#include "trace/source.h"

struct trace {
	struct trace_source *source;
	char *path;
	struct trace_options options;
	struct atomic atomic;
};

static enum status form_find(const char *path, bool *binary, struct diag *d)
{
	size_t magic = sizeof(FORMAT_MAGIC) - 1;
	char head[512];
	ssize_t n;
	int fd;

	*binary = false;
	if (strcmp(path, "-") == 0)
		return ST_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_fail(d, ST_IO, "cannot open '%s': %s", path, strerror(errno));
	/* pread, so that a pipe is left whole for the text reader. */
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0 && errno != ESPIPE) {
		diag_set(d, "cannot read '%s': %s", path, strerror(errno));
		close(fd);
		return ST_IO;
	}
	close(fd);
	if (n < 0)
		return ST_OK;
	if (n == 0)
		return diag_fail(d, ST_BAD_INPUT, "'%s' is empty: not a trace", path);
	*binary = memcmp(head, FORMAT_MAGIC, (size_t)n < magic ? (size_t)n : magic) == 0;
	if (!*binary && memchr(head, 0, (size_t)n))
		return diag_fail(d, ST_BAD_INPUT,
				 "'%s' is not a trace: neither a foresee recording nor text", path);
	return ST_OK;
}

enum status trace_open(const char *path, const struct trace_options *opt, struct trace **out,
		       struct diag *d)
{
	struct trace_source *source = NULL;
	enum status st;
	bool binary;

	*out = NULL;
	st = form_find(path, &binary, d);
	if (st != ST_OK)
		return st;
	st = binary ? binary_source_open(path, opt, &source, d)
		    : std_source_open(path, opt, &source, d);
	if (st != ST_OK)
		return st;
	*out = mem_zalloc(sizeof(**out));
	(*out)->source = source;
	(*out)->path = mem_strdup(path);
	if (opt)
		(*out)->options = *opt;
	(*out)->atomic.names = (*out)->options.atomic;
	return ST_OK;
}

void trace_mark_atomic(struct trace *t, const struct texts *names)
{
	t->options.atomic = t->atomic.names = names;
}

enum status trace_again(const struct trace *t, struct trace **out, struct diag *d)
{
	*out = NULL;
	if (strcmp(t->path, "-") == 0 || t->options.follow)
		return ST_END;
	return trace_open(t->path, &t->options, out, d);
}

struct trace_source *trace_source(struct trace *t)
{
	return t->source;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	t->source->ops->close(t->source);
	atomic_release(&t->atomic);
	mem_free(t->path);
	mem_free(t);
}

enum status trace_next(struct trace *t, struct event *e, struct diag *d)
{
	enum status st = t->source->ops->next(t->source, e, d);

	if (st == ST_OK && t->atomic.names && t->atomic.names->n > 0)
		atomic_mark(&t->atomic, t, e);
	return st;
}

struct trace_info trace_info(const struct trace *t)
{
	struct trace_info info = { .exit_status = -1 };

	t->source->ops->info(t->source, &info);
	return info;
}

uint32_t trace_stack(const struct trace *t, uint32_t stack, const uint32_t **sites)
{
	*sites = NULL;
	return t->source->ops->stack ? t->source->ops->stack(t->source, stack, sites) : 0;
}

const char *trace_atomic_at(const struct trace *t, uint32_t site, uint32_t stack)
{
	return t->atomic.names ? atomic_at(&t->atomic, t, site, stack) : NULL;
}

void trace_follow_end(struct trace *t)
{
	if (t->source->ops->follow_end)
		t->source->ops->follow_end(t->source);
}

/* What is asked of the source as it is, or answered so where it has no such operation. */
#define ASK(type, name, params, args, otherwise)                     \
	type trace_##name params                                     \
	{                                                            \
		const struct trace_source_ops *ops = t->source->ops; \
                                                                     \
		return ops->name ? ops->name args : (otherwise);     \
	}

ASK(uint32_t, site_count, (const struct trace *t), (t->source), 0)
ASK(bool, site, (const struct trace *t, uint32_t site, struct trace_site *out),
    (t->source, site, out), false)
ASK(uint32_t, thread_count, (const struct trace *t), (t->source), 0)
ASK(const char *, thread_name, (const struct trace *t, uint32_t tid), (t->source, tid), NULL)
ASK(const char *, thread_label, (const struct trace *t, uint32_t tid), (t->source, tid), NULL)
ASK(const char *, object_name, (struct trace * t, uint64_t addr), (t->source, addr), NULL)
ASK(const char *, object_own, (struct trace * t, uint64_t addr), (t->source, addr),
    trace_object_name(t, addr))
ASK(const char *, object_range, (struct trace * t, uint64_t addr), (t->source, addr),
    trace_object_name(t, addr))
ASK(uint64_t, object_id, (struct trace * t, uint64_t addr), (t->source, addr), 0)
ASK(const char *, object_given, (struct trace * t, uint64_t addr), (t->source, addr), NULL)
ASK(const char *, object_benign, (struct trace * t, uint64_t addr), (t->source, addr), NULL)
ASK(uint64_t, plain_address, (const struct trace *t, uint64_t addr), (t->source, addr), addr)
ASK(enum trace_first, first, (struct trace * t, uint64_t addr, uint8_t *byte),
    (t->source, addr, byte), TRACE_FIRST_UNKNOWN)
ASK(bool, extent, (struct trace * t, uint64_t addr, uint64_t *from, uint64_t *len),
    (t->source, addr, from, len), false)
ASK(size_t, inputs, (const struct trace *t, const struct trace_input **out, const uint8_t **bytes),
    (t->source, out, bytes), 0)
ASK(bool, hides, (const struct trace *t, uint64_t addr, uint64_t len), (t->source, addr, len),
    false)
ASK(bool, unsteady, (const struct trace *t, uint64_t addr, uint64_t len), (t->source, addr, len),
    false)

size_t trace_object_whole(const char *name)
{
	size_t n = strlen(name), end = n;

	while (end > 0 && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end > 1 && end < n && name[end - 1] == '+')
		n = end - 1;
	while (n > 1 && name[n - 1] == ']') {
		for (end = n - 1; end > 0 && isdigit((unsigned char)name[end - 1]);)
			end--;
		if (end < 2 || end == n - 1 || name[end - 1] != '[')
			break;
		n = end - 1;
	}
	return n;
}

bool trace_object_is_anonymous(const char *name)
{
	return strncmp(name, "0x", 2) == 0 || strchr(name, '#') || strchr(name, ' ');
}
