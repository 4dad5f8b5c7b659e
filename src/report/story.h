/*
 * From the order of a witness, which may have a million events, to the few lines that tell what
 * happens: the synchronisation that orders the threads of the finding, accesses to the same
 * bytes, and at the end the targets side by side.
 */
#ifndef REPORT_STORY_H
#define REPORT_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct columns;
struct evidence;
struct finding;

/* What all stories about one trace share.  The evidence is borrowed. */
struct story;
struct story *story_new(const struct evidence *ev);
void story_free(struct story *s);

/* Precondition: two targets.  order: without the targets. */
void story_columns(const struct story *s, const struct finding *f, const uint64_t *order, size_t n,
		   struct columns *out);

/* What hid it in the observed run, as a clause: "in the observed run T2's unlock of m came
 * before T3's lock of m". */
void story_hidden(const struct evidence *ev, const struct finding *f, struct strbuf *out);

#endif /* REPORT_STORY_H */
