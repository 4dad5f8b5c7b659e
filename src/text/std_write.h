/*
 * Events as text that std_read.c reads back to the same sequence (doc/STD.md).
 *
 * Plain STD holds only what std_event_is_plain says; everything else needs
 * the #fmt 1 form.  What text has no words for is left out: addresses,
 * versions (trace order decides), call stacks, and values of ranges above
 * STD_VALUE_MAX bytes.
 */
#ifndef TEXT_STD_WRITE_H
#define TEXT_STD_WRITE_H

#include "trace/event.h"

struct std_writer;
struct trace;

/* Whether plain STD can say all there is to say about an event. */
bool std_event_is_plain(const struct event *e);

/* A writer of the events of t, to be given all of them in order. */
struct std_writer *std_writer_new(struct trace *t, bool fmt1);
void std_writer_free(struct std_writer *w);

/* Adds the event's line, newline included.  ST_LIMIT when it names an event too long ago. */
enum status std_writer_event(struct std_writer *w, const struct event *e, struct strbuf *out,
			     struct diag *d) ST_CHECKED;

#endif /* TEXT_STD_WRITE_H */
