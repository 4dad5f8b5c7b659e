/*
 * The text reader: a line at a time, each parsed (std_parse.c), its names
 * made numbers (std_names.c), and held against what came before
 * (std_state.c).
 *
 * Two numbers count events.  `number' counts the events of the file and is
 * what feeds name; `pos' counts the events yielded.  They part only when a
 * lenient reading drops an event.
 */
#include "text/std_read.h"

#include <fcntl.h>
#include <unistd.h>

#include "trace/source.h"
#include "text/std_names.h"
#include "text/std_parse.h"
#include "text/std_state.h"
#include "text/std.h"

#define BUFFER_FIRST (64u << 10)

struct std_source {
	struct trace_source source;
	char *path;
	int fd; /* -1: from memory, or ended */
	bool eof, failed, lenient, fmt1, ended;

	/* buffer[at .. end) is read and not yet used.  Memory: all of it at once. */
	char *buffer;
	const char *bytes; /* the buffer, or the caller's memory */
	size_t at, end, capacity;
	uint64_t consumed; /* bytes before `at', for trace_info */

	uint64_t line, number, pos;
	struct std_parser parser;
	struct std_names *names;
	struct std_state *state;
	VEC(uint64_t) feeds;
	struct texts notes;
	uint64_t repairs;
};

static struct std_source *self(const struct trace_source *s)
{
	return (struct std_source *)s;
}

static enum status bad(struct std_source *s, unsigned column, const char *message, struct diag *d)
{
	diag_set(d, "%s:%" PRIu64 ":%u: %s", s->path, s->line, column, message);
	s->failed = true;
	return ST_BAD_INPUT;
}

/* One that can be left out. */
static enum status bad_event(struct std_source *s, unsigned column, const char *why, struct diag *d)
{
	char message[400];

	snprintf(message, sizeof(message), "%s (--lenient drops such events)", why);
	return bad(s, column, message, d);
}

/* More bytes behind the unused ones.  The buffer grows only for a long line. */
static enum status fill(struct std_source *s, struct diag *d)
{
	ssize_t n;

	if (s->fd < 0) {
		s->eof = true;
		return ST_OK;
	}
	memmove(s->buffer, s->buffer + s->at, s->end - s->at);
	s->end -= s->at;
	s->at = 0;
	if (s->end == s->capacity)
		s->buffer = mem_grow(s->buffer, &s->capacity, s->capacity + 1, 1);
	s->bytes = s->buffer;
	do {
		n = read(s->fd, s->buffer + s->end, s->capacity - s->end);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		diag_set(d, "cannot read '%s': %s", s->path, strerror(errno));
		s->failed = true;
		return ST_IO;
	}
	s->eof = n == 0;
	s->end += (size_t)n;
	return ST_OK;
}

/* The next line without its end, borrowed until the next call. */
static enum status line_next(struct std_source *s, const char **line, size_t *n, struct diag *d)
{
	size_t seen = 0; /* bytes known to hold no line end */
	const char *newline;

	for (;;) {
		newline = memchr(s->bytes + s->at + seen, '\n', s->end - s->at - seen);
		seen = s->end - s->at;
		if (newline || s->eof || seen > STD_LINE_MAX + 2)
			break;
		enum status st = fill(s, d);

		if (st != ST_OK)
			return st;
	}
	if (!newline && seen == 0)
		return ST_END;
	*line = s->bytes + s->at;
	*n = newline ? (size_t)(newline - *line) : seen;
	s->line++;
	s->at += *n + (newline != NULL);
	s->consumed += *n + (newline != NULL);
	if (*n > 0 && (*line)[*n - 1] == '\r')
		--*n;
	if (*n > STD_LINE_MAX)
		return bad(s, STD_LINE_MAX + 1, "line is longer than 1 MiB", d);
	return ST_OK;
}

/* A comment (the header is one) or a blank line. */
static bool is_skipped(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && (line[i] == ' ' || line[i] == '\t'))
		i++;
	return i == n || line[i] == '#';
}

/* ST_END: nothing here, go on with the next line. */
static enum status skip_line(struct std_source *s, const char *line, size_t n, struct diag *d)
{
	if (n < 4 || memcmp(line, "#fmt", 4) != 0)
		return ST_END;
	if (s->line != 1)
		return bad(s, 1, "'#fmt' must be the first line of the file", d);
	if (!s->fmt1)
		return bad(s, 1, "unknown text format; this version reads '" STD_HEADER "'", d);
	return ST_END;
}

/* Numbers for the names of a line.  False: there are no numbers left. */
static bool resolve(struct std_source *s, const struct std_line *l, struct event *e)
{
	const struct std_op *op = &std_ops[l->op];
	enum event_object object = event_op_object(l->op);
	uint32_t id;

	e->tid = std_thread_add(s->names, l->thread.at, l->thread.n, true);
	e->site = std_site_add(s->names, l->location.at, l->location.n);
	if (e->tid == 0)
		return false;
	switch (op->operand) {
	case STD_THREAD:
		e->peer = std_thread_add(s->names, l->operand.at, l->operand.n, false);
		return e->peer != 0;
	case STD_RANGE:
	case STD_OBJECT:
	case STD_COUNTED:
	case STD_TWO:
		id = std_name_add(s->names, object, l->operand.at, l->operand.n);
		e->addr = id ? std_address(object, id, s->fmt1, l->offset) : 0;
		if (id == 0 || op->operand != STD_TWO)
			return id != 0;
		id = std_name_add(s->names, EVENT_OBJECT_LOCK, l->second.at, l->second.n);
		e->arg = id ? std_address(EVENT_OBJECT_LOCK, id, s->fmt1, 0) : 0;
		return id != 0;
	default:
		return true;
	}
}

static bool name_events(struct std_source *s, const struct std_line *l, struct event *e, char *why,
			size_t size)
{
	VEC_CLEAR(&s->feeds);
	for (uint32_t i = 0; i < l->nnamed; i++) {
		uint64_t number = l->named[i], tseq;

		if (l->op == EVENT_WAKE) {
			if (std_state_signal(s->state, number, &e->peer, &e->peer_tseq))
				continue;
			snprintf(why, size,
				 "event %" PRIu64 " is no signal or broadcast before this one",
				 number);
			return false;
		}
		if (number == s->number && l->op == EVENT_RMW) {
			tseq = std_state_next(s->state, e->tid);
		} else if (!std_state_read(s->state, e->tid, number, &tseq)) {
			snprintf(why, size,
				 "event %" PRIu64 " is no read of this thread before this one%s",
				 number, number < s->number ? "" : " (own number: only for rmw)");
			return false;
		}
		*VEC_PUSH(&s->feeds) = tseq;
	}
	e->feeds = s->feeds.n ? s->feeds.at : NULL;
	e->nfeeds = (uint32_t)s->feeds.n;
	return true;
}

/* One event line.  ST_END: dropped, go on with the next. */
static enum status take_line(struct std_source *s, const char *line, size_t n, struct event *e,
			     struct diag *d)
{
	struct std_line l;
	char why[256];

	if (!std_parse(&s->parser, line, n, s->fmt1, &l))
		return bad(s, s->parser.column, s->parser.error, d);
	s->number++;
	mem_zero(e, sizeof(*e));
	e->op = (uint8_t)l.op;
	e->flags = l.flags;
	e->order = l.order;
	e->lock_kind = l.lock_kind;
	e->rmw = l.rmw;
	e->value = l.value;
	e->old = l.old;
	e->name = l.label;
	e->data = l.data;
	e->ndata = l.ndata;
	e->tests = l.tests;
	e->ntests = l.ntests;
	if (std_ops[l.op].operand == STD_RANGE)
		e->len = l.len;
	if (std_ops[l.op].operand == STD_COUNTED)
		e->arg = l.count;
	if (!resolve(s, &l, e))
		return bad(s, 1, "too many different names", d);
	if (!name_events(s, &l, e, why, sizeof(why)))
		return bad(s, l.named_column, why, d);
	if (!std_state_take(s->state, e, s->number, why, sizeof(why))) {
		if (!s->lenient)
			return bad_event(s, l.operand_column, why, d);
		s->repairs++;
		texts_note(&s->notes, "%s:%" PRIu64 ":%u: %s; event dropped", s->path, s->line,
			   l.operand_column, why);
		return ST_END;
	}
	e->pos = ++s->pos;
	return ST_OK;
}

static enum status std_next(struct trace_source *source, struct event *e, struct diag *d)
{
	struct std_source *s = self(source);
	const char *line;
	size_t n;

	if (s->failed)
		return diag_fail(d, ST_BAD_INPUT, "'%s' was refused before", s->path);
	for (;;) {
		enum status st = line_next(s, &line, &n, d);

		if (st == ST_END)
			s->ended = true;
		if (st != ST_OK)
			return st;
		st = is_skipped(line, n) ? skip_line(s, line, n, d) : take_line(s, line, n, e, d);
		if (st != ST_END)
			return st;
	}
}

static void std_close(struct trace_source *source)
{
	struct std_source *s = self(source);

	if (s->fd > STDIN_FILENO)
		close(s->fd);
	texts_release(&s->notes);
	VEC_RELEASE(&s->feeds);
	std_parser_release(&s->parser);
	std_state_free(s->state);
	std_names_free(s->names);
	MEM_FREE_ALL(s->buffer, s->path, s);
}

static void std_info(const struct trace_source *source, struct trace_info *out)
{
	const struct std_source *s = self(source);

	out->form = s->fmt1 ? TRACE_FMT1 : TRACE_STD;
	out->tests = s->fmt1;
	out->complete = s->ended && s->repairs == 0;
	out->full = true;
	out->bytes = s->consumed;
	out->nnotes = (uint32_t)s->notes.n;
	out->notes = (const char *const *)s->notes.at;
}

static uint64_t std_name_address(struct trace_source *s, const char *name, bool lock)
{
	enum event_object space = lock ? EVENT_OBJECT_LOCK : EVENT_OBJECT_MEMORY;
	uint32_t id = std_name_expect(self(s)->names, space, name, strlen(name));

	return id ? std_address(space, id, self(s)->fmt1, 0) : 0;
}

/* An operation that the names answer. */
#define ASK(type, name, params, answer)               \
	static type source_##name params              \
	{                                             \
		struct std_names *n = self(s)->names; \
                                                      \
		return answer;                        \
	}

ASK(uint32_t, site_count, (const struct trace_source *s), std_site_count(n))
ASK(bool, site, (const struct trace_source *s, uint32_t site, struct trace_site *out),
    std_site_find(n, site, out))
ASK(uint32_t, thread_count, (const struct trace_source *s), std_thread_count(n))
ASK(const char *, thread_name, (const struct trace_source *s, uint32_t tid),
    std_thread_name(n, tid))
ASK(const char *, object_name, (struct trace_source * s, uint64_t addr),
    std_address_name(n, addr, self(s)->fmt1))
ASK(uint64_t, object_id, (struct trace_source * s, uint64_t addr),
    std_address_id(n, addr, self(s)->fmt1))
ASK(uint64_t, plain_address, (const struct trace_source *s, uint64_t addr),
    std_address_plain(n, addr, self(s)->fmt1))

static const struct trace_source_ops std_ops_table = {
	.next = std_next,
	.close = std_close,
	.info = std_info,
	.site_count = source_site_count,
	.site = source_site,
	.thread_count = source_thread_count,
	.thread_name = source_thread_name,
	.object_name = source_object_name,
	.object_id = source_object_id,
	.name_address = std_name_address,
	.plain_address = source_plain_address,
};

/* The header is looked at now, so that trace_info knows the form from the start. */
static enum status source_start(struct std_source *s, const struct trace_options *opt,
				struct trace_source **out, struct diag *d)
{
	const size_t n = strlen(STD_HEADER);
	enum status st = ST_OK;

	s->source.ops = &std_ops_table;
	s->lenient = opt && opt->lenient;
	s->names = std_names_new();
	while (st == ST_OK && !s->eof && s->end <= n)
		st = fill(s, d);
	if (st != ST_OK) {
		std_close(&s->source);
		return st;
	}
	s->fmt1 = s->end >= n && memcmp(s->bytes, STD_HEADER, n) == 0 &&
		  (s->end == n || s->bytes[n] == '\n' || s->bytes[n] == '\r');
	s->state = std_state_new(s->names, s->fmt1);
	*out = &s->source;
	return ST_OK;
}

enum status std_source_open(const char *path, const struct trace_options *opt,
			    struct trace_source **out, struct diag *d)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct std_source *s;

	if (fd < 0)
		return diag_fail(d, ST_IO, "cannot open '%s': %s", path, strerror(errno));
	s = mem_zalloc(sizeof(*s));
	s->fd = fd;
	s->path = mem_strdup(is_stdin ? "(standard input)" : path);
	s->capacity = BUFFER_FIRST;
	s->buffer = mem_alloc(s->capacity);
	s->bytes = s->buffer;
	return source_start(s, opt, out, d);
}

enum status std_source_open_memory(const char *name, const void *bytes, size_t n,
				   const struct trace_options *opt, struct trace_source **out,
				   struct diag *d)
{
	struct std_source *s = mem_zalloc(sizeof(*s));

	s->fd = -1;
	s->eof = true;
	s->path = mem_strdup(name);
	s->bytes = n ? bytes : "";
	s->end = n;
	return source_start(s, opt, out, d);
}
