/* What cannot be replayed, and why. */
#include <sys/stat.h>

#include "names/images.h"
#include "names/program.h"
#include "names/symbols.h"
#include "replay/plan.h"
#include "trace/format.h"
#include "trace/source.h"

/* The recording went along with a child (--follow-fork). */
static bool is_of_child(const struct trace_info *info)
{
	for (uint32_t i = 0; i < info->nnotes; i++)
		if (strstr(info->notes[i], FORMAT_NOTE_CHILD))
			return true;
	return false;
}

enum status plan_suits(const struct trace *t, struct diag *d)
{
	struct trace_info info;

	info = trace_info(t);
	if (info.form != TRACE_BINARY)
		diag_set(
			d,
			"a trace in text form has no program to run again: replay needs the recording");
	else if (info.locks_only)
		diag_set(d, "recorded with --locks-only, which does not say what the program did "
			    "between its calls: record it without");
	else if (info.code)
		diag_set(d, "recorded with --valgrind: a schedule can only be forced on a program "
			    "that was built with foresee-cc and recorded so");
	else if (info.late)
		diag_set(d, "begins in the middle of the run (--keep, --from), so that threads and "
			    "events cannot be counted: record it from its start");
	else if (is_of_child(&info))
		diag_set(d,
			 "the recording went on with a child of the program (--follow-fork), and "
			 "only a program's own process can be held to a plan: record it with its "
			 "option to stay in the foreground, if it has one");
	else if (info.partial && info.options == NULL)
		diag_set(d, "recorded with --only or --ignore, and it does not say with which "
			    "patterns: record it again");
	else
		return ST_OK;
	return ST_BAD_INPUT;
}

static bool is_newer(const char *file, const char *trace)
{
	struct stat f, t;

	if (stat(file, &f) != 0 || stat(trace, &t) != 0)
		return false;
	return f.st_mtim.tv_sec != t.st_mtim.tv_sec ? f.st_mtim.tv_sec > t.st_mtim.tv_sec
						    : f.st_mtim.tv_nsec > t.st_mtim.tv_nsec;
}

static bool is_as_recorded(const struct symbols *recorded, const char *now, const char *trace,
			   struct diag *d)
{
	enum symbols_file is = symbols_compare(recorded, now);

	if (is == SYMBOLS_OTHER)
		diag_set(
			d,
			"'%s' was built anew since the recording (it has another build id), so its "
			"events may be others: record it again, or try 'foresee replay --anyway'",
			now);
	else if (is == SYMBOLS_GONE)
		diag_set(d,
			 "'%s', which was recorded, is not there any more: put it back as it was, "
			 "or try 'foresee replay --anyway'",
			 now);
	else if (is == SYMBOLS_UNKNOWN && is_newer(now, trace))
		diag_set(
			d,
			"'%s' was written after the recording, and has no build id to tell whether "
			"it is the same: record it again, or try 'foresee replay --anyway'",
			now);
	else
		return true;
	return false;
}

enum status plan_suits_program(struct trace *t, const char *program, const char *trace,
			       struct diag *d)
{
	const char *recorded = trace_info(t).program;
	struct trace_source *s = trace_source(t);
	const struct program *p = s->ops->program ? s->ops->program(s) : NULL;
	const struct images_file *file;

	for (size_t i = 0; p && (file = images_get(p->images, i)) != NULL; i++) {
		const char *path = symbols_path(file->symbols);

		if (recorded && strcmp(path, recorded) == 0)
			path = program;
		if (!is_as_recorded(file->symbols, path, trace, d))
			return ST_IO;
	}
	return ST_OK;
}
