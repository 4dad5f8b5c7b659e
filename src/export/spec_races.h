/*
 * Specifications that are made for one trace: its data races, its blocks, as formulas.
 *
 *	event w_x = write(x);  event r_x = read(x);  event every = any();  relevant every;
 *	property race_x_T1_T2 step event: ptltl
 *		(w_x() && tid == 1 -> !prev((w_x() || r_x()) && tid == 2)) && ...
 *
 * Two accesses of different threads, one of them a write, that follow one another without any
 * event between (doc/SEMANTICS.md 3.3 says what that misses).  Every event of the trace is a step,
 * so that no synchronisation is overlooked; all variables that fit are declared, so that weak
 * happens-before goes for them.
 *
 * `atomicity' says of each variable, of a thread with marked blocks and of another thread that the
 * second comes between no two accesses of the first in a block: the triples of doc/ENGINES.md.
 */
#ifndef EXPORT_SPEC_RACES_H
#define EXPORT_SPEC_RACES_H

#include "base/common.h"

struct trace;

/* Reads t to its end.  What the language cannot say, or what there is too much of, is named in
 * comments of the text.  ST_OK, or what trace_next said. */
enum status spec_library(struct trace *t, bool atomicity, struct strbuf *out,
			 struct diag *d) ST_CHECKED;

#endif /* EXPORT_SPEC_RACES_H */
