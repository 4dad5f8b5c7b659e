#include "export/as_std.h"

#include "text/std.h"
#include "text/std_write.h"
#include "trace/trace.h"

static enum status write_lines(struct trace *t, bool fmt1, struct diag *d)
{
	struct std_writer *w = std_writer_new(t, fmt1);
	STRBUF_SCOPED line = { 0 };
	struct event e;
	enum status st;

	if (fmt1)
		puts(STD_HEADER);
	while ((st = trace_next(t, &e, d)) == ST_OK && !ferror(stdout)) {
		strbuf_clear(&line);
		st = std_writer_event(w, &e, &line, d);
		if (st != ST_OK)
			break;
		fwrite(line.at, 1, line.n, stdout);
	}
	std_writer_free(w);
	return st;
}

/* Whether plain STD will do: by a first pass up to the first event that it cannot say. */
static bool is_plain(const char *path, bool lenient)
{
	struct trace_options opt = { .lenient = lenient };
	struct diag d = { 0 };
	struct trace *t;
	struct event e;
	enum status st;

	if (trace_open(path, &opt, &t, &d) != ST_OK)
		return false;
	while ((st = trace_next(t, &e, &d)) == ST_OK && std_event_is_plain(&e))
		;
	trace_close(t);
	return st != ST_OK;
}

enum status as_std(struct trace *t, const char *path, bool lenient, struct diag *d)
{
	enum trace_form form = trace_info(t).form;
	/* Standard input cannot be read twice, and keeps the form it came in. */
	bool again = form != TRACE_STD && strcmp(path, "-") != 0;

	return write_lines(t, again ? !is_plain(path, lenient) : form == TRACE_FMT1, d);
}
