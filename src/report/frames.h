/*
 * Locations and call stacks in words.
 *
 * Headers of the system are somebody else's: a reader wants to know from where in the program
 * they were entered.  So a site is named by its innermost frame outside of them, and runs of
 * such frames are folded in a stack.
 */
#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H

#include "trace/trace.h"

/* The sites of an event, innermost first: its own, those that was inlined into, the callers.
 * VEC_SCOPED struct frames f = { 0 }; */
struct frames {
	VEC(struct trace_site) at;
};
void frames_get(const struct trace *t, uint32_t site, uint32_t stack, struct frames *out);
/* The same of call sites that stand in no event. */
void frames_get_sites(const struct trace *t, uint32_t site, const uint32_t *sites, uint32_t n,
		      struct frames *out);
/* Takes away the innermost ones that lie in headers of the system, unless all do. */
void frames_enter(struct frames *f);

/* What comes before a line that is not the site's own but the nearest: "~"; else "". */
const char *frames_near(const struct trace_site *p);

/* A path without "x/..", from the current directory when that is shorter. */
void frames_path(const char *file, struct strbuf *out);
/* A long name without the arguments of its templates. */
void frames_name(const char *name, struct strbuf *out);

/* The innermost frame in the program itself, else the innermost; false: nothing is known. */
bool frames_own(const struct trace *t, uint32_t site, uint32_t stack, struct trace_site *out);
/* Its location: "audit.c:31 in add_entry"; nothing when nothing is known. */
void frames_location(const struct trace *t, uint32_t site, uint32_t stack, struct strbuf *out);
/* The same in short: ":31" when it lies in `file', else "audit.c:31"; nothing when nothing is
 * known.  file may be NULL. */
void frames_brief(const struct trace *t, uint32_t site, uint32_t stack, const char *file,
		  struct strbuf *out);

/* The variable that the innermost frame names, or that of the frame in the program by which headers
 * of the system were entered; NULL: none, or no name (*p). */
const char *frames_variable(const struct trace *t, uint32_t site, uint32_t stack);

/* The stack, one location a line, each ended; all but the first line begin with indent blanks.
 * Repeated frames, frames of system headers and the middle of a deep stack are folded. */
void frames_format(const struct frames *f, int indent, struct strbuf *out);
/* The same of an event that does op, of synchronisation from where the program calls it; nothing when
 * nothing is known. */
void frames_stack(const struct trace *t, uint8_t op, uint32_t site, uint32_t stack, int indent,
		  struct strbuf *out);

#endif /* REPORT_FRAMES_H */
