#include "export/as_dot.h"

#include <stdio.h>

#include "base/talk.h"
#include "export/dot.h"
#include "monitor/monitor.h"
#include "spec/spec.h"

enum status as_dot(struct trace *t, const char *path, enum causes_kind kind, bool quiet,
		   struct diag *d)
{
	struct dot_options how = { .kind = kind };
	struct strbuf out = { 0 }, note = { 0 };
	struct monitors monitors = { 0 };
	struct spec *spec = NULL;
	enum status st = ST_OK;

	if (path) {
		st = spec_read(path, &spec, d);
		if (st == ST_OK)
			st = monitors_new(spec, &monitors, d);
		how.monitors = &monitors;
	}
	if (st == ST_OK)
		st = dot_write(t, &how, &out, &note, d);
	if (st == ST_END)
		fwrite(strbuf_str(&out), 1, out.n, stdout);
	if (note.n && !quiet)
		talk_note("%s", strbuf_str(&note));
	monitors_release(&monitors);
	spec_free(spec);
	strbuf_release(&out);
	strbuf_release(&note);
	return st;
}
