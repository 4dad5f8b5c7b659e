/*
 * One reading of a trace: opened, a spec's names found in it, its events as steps.  With each batch of
 * steps comes what its events are to the spec.
 *
 *	struct reading r;
 *
 *	st = reading_open(&r, path, &how, spec, d);
 *	reading_steps(&r, &opt);
 *	while (st == ST_OK && (st = reading_next(&r, &batch, d)) == ST_OK)
 *		... batch, reading_items(&r)
 *	reading_close(&r);
 *
 * Where somebody else reads the events (the checker's evidence), reading_see is given each of them.
 */
#ifndef MONITOR_READING_H
#define MONITOR_READING_H

#include <signal.h>

#include "monitor/watch.h"
#include "order/step.h"

struct model;
struct trace_options;

struct reading {
	struct trace *trace;
	struct watch *watch;	  /* NULL: no spec */
	struct watch_items items; /* of the present batch */
	struct steps *steps;	  /* from reading_steps to reading_end */
	/* Private. */
	bool borrowed; /* the trace is somebody else's */
	void (*see)(void *arg, struct trace *t, const struct event *e);
	void *see_arg;
};

/* spec may be NULL.  Whatever comes of it, reading_close ends it. */
enum status reading_open(struct reading *r, const char *path, const struct trace_options *how,
			 const struct spec *spec, struct diag *d) ST_CHECKED;
/* The same of a trace that is open and not read yet; it stays the caller's. */
enum status reading_begin(struct reading *r, struct trace *t, const struct spec *spec,
			  struct diag *d) ST_CHECKED;
/* The trace of `first' once more, without a spec.  Not ST_OK: there is no second time. */
enum status reading_again(struct reading *r, const struct reading *first,
			  struct diag *d) ST_CHECKED;
/* No more is read: the steps and what they hold go, the trace stays. */
void reading_end(struct reading *r);
void reading_close(struct reading *r);

/* Before the first reading_next.  opt->see is called before the spec looks at the event. */
void reading_steps(struct reading *r, const struct step_options *opt);
/* As steps_next; the items are those of this batch. */
enum status reading_next(struct reading *r, struct step_batch *b, struct diag *d) ST_CHECKED;
/* As trace_next, for those who want no steps; the items are those of this event. */
enum status reading_event(struct reading *r, struct event *e, struct diag *d) ST_CHECKED;
/* All of it, as plain steps unless they were asked for otherwise.  ST_END; ST_OK: the model is full, or
 * *stop was set.  stop may be NULL. */
enum status reading_model(struct reading *r, struct model *m, const volatile sig_atomic_t *stop,
			  struct diag *d) ST_CHECKED;

/* Adds to the items of the struct reading what the event is to the spec, if there is one. */
void reading_see(void *reading, struct trace *t, const struct event *e);

/* NULL: there is no spec, and every event counts. */
static inline const struct watch_items *reading_items(const struct reading *r)
{
	return r->watch ? &r->items : NULL;
}

#endif /* MONITOR_READING_H */
