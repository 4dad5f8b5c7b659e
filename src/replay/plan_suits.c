/* What cannot be replayed, and why. */
#include "replay/plan.h"
#include "trace/trace.h"

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
	else if (info.late)
		diag_set(d, "begins in the middle of the run (--keep, --from), so that threads and "
			    "events cannot be counted: record it from its start");
	else if (info.partial && info.options == NULL)
		diag_set(d, "recorded with --only or --ignore, and it does not say with which "
			    "patterns: record it again");
	else
		return ST_OK;
	return ST_BAD_INPUT;
}
