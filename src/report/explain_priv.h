/*
 * What the parts of a text report share: the place where it grows, and the ways to line things up.
 */
#ifndef REPORT_EXPLAIN_PRIV_H
#define REPORT_EXPLAIN_PRIV_H

#include "base/intern.h"
#include "report/columns.h"
#include "report/explain.h"
#include "report/frames.h"
#include "report/report.h"
#include "report/story.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define EXPLAIN_INDENT 4 /* of pictures */
#define EXPLAIN_LOCKS 8	 /* shown of those that a thread holds */

struct explain {
	const struct report *r;
	const struct explain_options *opt;
	const struct evidence *ev;
	const struct trace *t;
	struct story *story;  /* made for the first schedule */
	struct intern *names; /* of what was told in full */
	VEC(uint32_t) times;  /* [id in names] */
	uint32_t full, lines; /* findings told so far, each way */
	struct strbuf out;
};

/* ---- explain.c ---- */

/* Blanks up to a width, counted from `start'; at least two. */
void explain_pad(struct strbuf *b, size_t start, size_t width);
/* The title, begun at `start', with how sure it is at its right end. */
void explain_sure(struct explain *x, const struct finding *f, size_t start);
/* The frames, one a line; all but the first are indented.  Of synchronisation, from where the
 * program calls it. */
void explain_stack(const struct explain *x, const struct evidence_event *e, size_t indent,
		   struct strbuf *out);
/* "m (:31)", with its place, in `file' by its line alone. */
void explain_lock(const struct explain *x, uint64_t acquire, const char *file, struct strbuf *out);
/* The picture, and what reads see other values.  Takes what c holds. */
void explain_picture(struct explain *x, const struct finding *f, struct columns *c);
const struct story *explain_story(struct explain *x);

/* ---- explain_origin.c ---- */

/* Who made the blocks that these events are about, and where local variables are declared; nothing
 * about others. */
void explain_origins(struct explain *x, const uint64_t *events, size_t n);

/* ---- explain_race.c, explain_wait.c, explain_property.c ---- */

/* All between number and what to type next. */
void explain_race(struct explain *x, const struct finding *f, const char *subject);
void explain_stale(struct explain *x, const struct finding *f, const char *subject);
void explain_wait(struct explain *x, const struct finding *f, const char *subject);
/* Its title alone: "deadlock of T1 and T2 on a, b". */
void explain_wait_title(const struct explain *x, const struct finding *f, const char *subject,
			struct strbuf *out);
void explain_property(struct explain *x, const struct finding *f);
/* "property land violated" */
void explain_property_title(const struct finding *f, struct strbuf *out);

#endif /* REPORT_EXPLAIN_PRIV_H */
