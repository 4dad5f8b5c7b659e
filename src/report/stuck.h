/*
 * What threads waited for when a recording ended.
 *
 *	  At the end of the recording these threads waited:
 *	    T1  for a, which it holds itself  self.c:5 in main
 *	    T2  for the end of T3             f.c:40 in stop
 *
 * It is told where nothing was found: a hang that no analysis explains, of a thread that takes
 * its own lock twice say, would be passed over in silence otherwise.
 */
#ifndef REPORT_STUCK_H
#define REPORT_STUCK_H

#include "base/strbuf.h"

struct trace;

/* Reads t to its end.  Adds nothing when nobody waited, and when t cannot be read. */
void stuck_format(struct trace *t, struct strbuf *out);

#endif /* REPORT_STUCK_H */
