/*
 * What the parts of a text report share: the place where it grows, and the ways to line things up.
 */
#ifndef REPORT_EXPLAIN_PRIV_H
#define REPORT_EXPLAIN_PRIV_H

#include "monitor/states.h"
#include "report/columns.h"
#include "report/cycle.h"
#include "report/frames.h"
#include "report/report.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/check.h"
#include "witness/evidence.h"

#define EXPLAIN_INDENT 4 /* of pictures */
#define EXPLAIN_LOCKS 8	 /* shown of those that a thread holds */

struct story; /* what all stories about one trace share */

struct explain {
	const struct report *r;
	const struct explain_options *opt;
	const struct evidence *ev;
	const struct trace *t;
	struct story *story;	 /* made for the first schedule */
	struct sources *sources; /* NULL: no lines of source */
	struct intern *names;	 /* of what was told in full */
	VEC(uint32_t) times;	 /* [id in names] */
	uint32_t full, lines;	 /* findings told so far, each way */
	struct strbuf out;
};

/* The width that two texts need. */
static inline size_t explain_longer(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* ---- explain.c ---- */

/* For findings one by one: begin, then any number of them, end. */
struct explain explain_begin(const struct report *r, const struct explain_options *opt);
void explain_end(struct explain *x);
/* "data race on x"; and all that is told of it.  Both to x->out. */
void explain_title(struct explain *x, const struct finding *f);
void explain_full(struct explain *x, const struct finding *f);
/* "predicted, certified" */
const char *explain_sureness(const struct finding *f);

/* Blanks up to a width, counted from `start'; at least two. */
void explain_pad(struct strbuf *b, size_t start, size_t width);
/* The title, begun at `start', with how sure it is at its right end. */
void explain_sure(struct explain *x, const struct finding *f, size_t start);
/* The frames, one a line; all but the first are indented.  Of synchronisation, from where the
 * program calls it.  Below the first its line of source, if that is wanted and there. */
void explain_stack(const struct explain *x, const struct evidence_event *e, size_t indent,
		   struct strbuf *out);
/* "m (:31)", with its place, in `file' by its line alone. */
void explain_lock(const struct explain *x, uint64_t acquire, const char *file, struct strbuf *out);
/* The picture, and what reads see other values.  Takes what c holds. */
void explain_picture(struct explain *x, const struct finding *f, struct columns *c);
const struct story *explain_story(struct explain *x);

/* ---- explain_source.c ---- */

/* The line of the place, indented, what is meant of it marked; nothing where it is not there. */
void explain_source(const struct explain *x, const struct trace_site *p, size_t indent,
		    struct strbuf *out);
/* Which files were not there, or have changed: a line, or nothing. */
void explain_source_missing(const struct explain *x, struct strbuf *out);

/* What most of many findings have in common. */
void explain_first(struct explain *x);

/* ---- explain_hints.c ---- */

/* The trace, and plug-ins, as the next command takes them. */
void explain_trace(const struct explain *x, struct strbuf *out);
void explain_plugins(const struct explain *x, struct strbuf *out);
/* What to type next. */
void explain_hints(struct explain *x);

/* ---- explain_origin.c ---- */

/* Who made the blocks that these events are about, and where local variables are declared; nothing
 * about others. */
void explain_origins(struct explain *x, const uint64_t *events, size_t n);

/* ---- explain_race.c, explain_wait.c, explain_atomicity.c, explain_property.c ---- */

/* By whom, where, under which locks; a line each, and its callers. */
void explain_accesses(struct explain *x, const uint64_t *events, uint32_t n);

/* All between number and what to type next. */
void explain_race(struct explain *x, const struct finding *f, const char *subject);
void explain_stale(struct explain *x, const struct finding *f, const char *subject);
void explain_wait(struct explain *x, const struct finding *f, const char *subject);
/* Its title alone: "deadlock of T1 and T2 on a, b". */
void explain_wait_title(const struct explain *x, const struct finding *f, const char *subject,
			struct strbuf *out);
void explain_atomicity(struct explain *x, const struct finding *f, const char *subject);
/* "atomicity of transfer (block at a.c:10) on x" */
void explain_atomicity_title(const struct explain *x, const struct finding *f, const char *subject,
			     struct strbuf *out);
void explain_property(struct explain *x, const struct finding *f);
/* "property land violated" */
void explain_property_title(const struct finding *f, struct strbuf *out);

/* ---- story.c ---- */

/*
 * From the order of a witness, which may have a million events, to the few lines that tell what
 * happens: the synchronisation that orders the threads of the finding, accesses to the same
 * bytes, and at the end the targets: side by side, or where each thread waits.
 */

/* The evidence is borrowed. */
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

/* Positions of those events of the order that a picture shows, the finding's own among them.  How many. */
#define STORY_STEPS STEPS_MOST
size_t story_steps(const struct story *s, const struct finding *f, const uint64_t *order, size_t n,
		   uint64_t out[STORY_STEPS]);

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

/* The same choice for other pictures, which have more room. */
struct story_wish {
	const uint64_t *targets; /* their threads come first */
	uint32_t ntargets;
	const uint64_t *keep; /* events that are shown in any case, wherever they are */
	size_t nkeep, lines;  /* lines: events shown at most */
};
struct story_choice {
	VEC(size_t) at; /* places in the order, ascending */
	uint32_t tids[COLUMNS_MAX];
	uint32_t ntids;
};
/* Appends to out->at. */
void story_choose(const struct story *s, const struct finding *f, const struct story_wish *w,
		  const uint64_t *order, size_t n, struct story_choice *out);

/* What hid a race in the observed run, as a clause: "in the observed run T2's unlock of m came
 * before T3's lock of m". */
void story_hidden(const struct evidence *ev, const struct finding *f, struct strbuf *out);

/* ---- remedy.c ---- */

/*
 * What can be said about threads that wait for one another, beyond who and where: whether it
 * happened, what hid it, what would prevent it.  All of it holds of the recorded run; where that
 * does not tell, nothing is said.
 */

/* The recorded run ended so.  whole: the evidence holds all of it. */
bool remedy_happened(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		     bool whole);

/* What was different in the observed run, as a clause: "in the observed run T1 locked b (:12)
 * before T2 did". */
void remedy_hidden(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		   struct strbuf *out);

/* A sentence about what would prevent it; nothing when nothing near is known to. */
void remedy_format(const struct evidence *ev, const struct finding *f, const struct cycle *c,
		   struct strbuf *out);

/* WAIT_HOLDING: the first signal of the condition by the thread that wants the lock, after that.
 * False where the evidence does not reach so far. */
bool remedy_signal(const struct evidence *ev, const struct cycle *c, struct evidence_event *out);

/* ---- summary.c ---- */

/*
 * The last lines of a report: how many findings, and how far the analyses have looked.
 *
 * Nothing here may sound cleaner than it is: "no race" or "no deadlock" is said of the recorded
 * run's reorderings only where every candidate was refuted and no budget ran out.
 */

void summary_format(const struct report *r, struct strbuf *out);

/* ---- explain_states.c ---- */

/*
 * What a spec's variables hold after each look of a run, as a table beside its picture:
 *
 *	approved  landing  radio
 *	0         0        1
 *	1*        0        1
 *	1         1*       0        <-- violated
 *
 * A star marks what the event has changed.  Only the variables that the property is about have a
 * column.
 */

/* All borrowed. */
struct explain_states {
	const struct states_watch *watch;
	const struct states *states;
	const struct finding *f;
	uint64_t shown; /* variables */
	int widths[SPEC_VARIABLES];
	const char *names[SPEC_VARIABLES]; /* as they are written */
};

void explain_states_init(struct explain_states *t, const struct states_watch *w,
			 const struct states *s, const struct finding *f);
/* From now on, names by their last part where no other variable has it: `valid' of `store::entry.valid'. */
void explain_states_shorten(struct explain_states *t);
/* The head of the table, if there is one. */
void explain_states_head(const struct explain_states *t, struct columns *c);
/* The state as the note of the latest row; before: the one that it follows, or itself.  Where the table
 * has no room what an event writes is in its row, and is not said again. */
void explain_states_note(const struct explain_states *t, size_t before, size_t state,
			 struct columns *c);

/* "open, use": the spec's events that led there. */
void explain_states_events(const struct explain_states *t, size_t state, struct strbuf *out);
/* " x = 1, y = 2": what was written to get there.  False: nothing. */
bool explain_states_written(const struct explain_states *t, size_t state, struct strbuf *out);
/* " x": variables of the spec that the event reads or writes. */
void explain_states_read(const struct explain_states *t, uint64_t pos, struct strbuf *out);

/* The variables of the property, by number; of a plug-in's all. */
uint64_t explain_states_variables(const struct states_watch *w, const char *property);

/* ---- scope.c ---- */

/*
 * What the analyses have looked for, how far they got, and why "none" may not mean none.
 *
 * Nothing else knows what keeps a report from saying that there is nothing in any run that
 * the recording proves possible: everything that was not recorded, not read, not searched or not decided.
 */
/* Several analyses look for the same as this one. */
bool scope_is_shared(const struct report *r, const struct engine *e);

struct scope {
	bool races, waits, blocks, properties; /* looked for */
	bool decided; /* of each, some analysis has decided every candidate */
	/* Looked for and not found, by the best analysis. */
	uint64_t open_races, open_waits, open_blocks;
	/* Why not every order was considered, in words, the shortest first; none: it was. */
	struct texts because;
	/* Or this is why, and all: it was considered where "waits are woken by ...".  NULL: not so. */
	char *given;
};
void scope_get(const struct report *r, struct scope *out);
void scope_release(struct scope *s);

#endif /* REPORT_EXPLAIN_PRIV_H */
