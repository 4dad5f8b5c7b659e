/*
 * Events, values and places in words for people.
 *
 *	   12  T2:5   "worker"  write  total  = 7  (was T1:33)  audit.c:31 in add_entry
 *
 * T2:5 is the fifth event of thread T2; versions are named the same way.
 */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include "trace/event.h"

struct trace;

/* "write", "lock": an event_op in a word for people. */
const char *show_op(uint8_t op);

/* "audit.c:31 in add_entry", what of it is known; adds nothing for site 0. */
void show_location(const struct trace *t, uint32_t site, struct strbuf *out);

/* One line without newline.  Widths of names are fitted as lines come. */
struct show {
	struct trace *trace;
	bool stacks;				     /* add the call stack, one frame a line */
	int thread_width, label_width, object_width; /* zero at first */
};
void show_event(struct show *s, const struct event *e, struct strbuf *out);

/* What the reader has noted, as messages on stderr. */
void show_notes(const struct trace *t);

/* The table of places with their dependency facts. */
void show_sites(const struct trace *t, FILE *to);

#endif /* REPORT_SHOW_H */
