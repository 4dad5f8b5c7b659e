/*
 * From the order of a witness, which may have a million events, to the few lines that tell what
 * happens: the synchronisation that orders the threads of the finding, accesses to the same
 * bytes, and at the end the targets: side by side, or where each thread waits.
 */
#ifndef REPORT_STORY_H
#define REPORT_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "finding/finding.h"

struct columns;
struct evidence;

/* What all stories about one trace share.  The evidence is borrowed. */
struct story;
struct story *story_new(const struct evidence *ev);
void story_free(struct story *s);

/* Several threads synchronise on what lies there. */
bool story_is_shared(const struct story *s, uint64_t addr);

/* Of a race; the order is without the targets. */
void story_columns(const struct story *s, const struct finding *f, const uint64_t *order, size_t n,
		   struct columns *out);

/* An event that is next at the end, and does not come. */
struct story_end {
	uint64_t pos;
	char *text; /* in its column; owned */
	char *note; /* why; owned */
};

/* What a story of threads that wait is about. */
struct story_wait {
	uint64_t targets[FINDING_EVENTS]; /* their threads have columns, from the left */
	uint32_t ntargets;
	struct story_end ends[FINDING_EVENTS];
	uint32_t nends;
	uint64_t keep[FINDING_EVENTS]; /* events of the order that are shown in any case */
	uint32_t nkeep;
};
void story_wait_release(struct story_wait *w);

/* Of any other finding. */
void story_waits(const struct story *s, const struct finding *f, const struct story_wait *w,
		 const uint64_t *order, size_t n, struct columns *out);

/* What hid a race in the observed run, as a clause: "in the observed run T2's unlock of m came
 * before T3's lock of m". */
void story_hidden(const struct evidence *ev, const struct finding *f, struct strbuf *out);

#endif /* REPORT_STORY_H */
