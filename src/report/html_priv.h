/*
 * What the parts of a page share.  Findings are written first, and name places, stacks and names by
 * numbers; the tables of these come behind them, for then it is known which are needed.
 */
#ifndef REPORT_HTML_PRIV_H
#define REPORT_HTML_PRIV_H

#include "report/explain_priv.h"
#include "report/json.h"

struct sources;

/* Events of all pictures together, so that a page of many findings stays one that opens at once. */
#define HTML_EVENTS 16000u
#define HTML_EVENTS_MOST 300u /* of one finding */
#define HTML_EVENTS_LEAST 24u
#define HTML_LATTICE 400u /* cuts: more is no picture */

struct html_place {
	uint32_t file; /* number in sources + 1; 0 not known */
	uint32_t line;
	uint32_t function; /* in names; 0 none */
	bool near;
	uint32_t from, to; /* what is meant of the line, in characters; both 0: not known */
};

struct html {
	const struct report *r;
	struct explain x;
	struct sources *sources;
	struct json j;
	struct intern *names;
	struct intern *place_keys, *stack_keys; /* ids are places and stacks, from 1 */
	VEC(struct html_place) places;
	VEC(uint32_t) stack_places; /* of all stacks */
	VEC(size_t) stack_ends;	    /* into stack_places */
	struct map lines;	    /* file << 32 | line: it is shown */
	struct map threads;	    /* tids that are named */
	size_t events;		    /* of one finding's picture */
	uint64_t steps;		    /* that may still be looked at for pictures */
};

/* ---- html_tables.c ---- */

void html_tables_release(struct html *h);
/* Number from 0; -1: NULL. */
int64_t html_name(struct html *h, const char *name);
/* Of an event, from 0; around: lines of source shown on both sides of its innermost place.  -1: not known. */
int64_t html_stack(struct html *h, const struct evidence_event *e, uint32_t around);
void html_thread(struct html *h, uint32_t tid);
/* names, places, stacks, files, threads: members of the open object. */
void html_tables(struct html *h);

/* ---- html_scene.c ---- */

/* "scene": the recorded and the predicted run of a finding; or "no_scene": why there is none. */
void html_scene(struct html *h, const struct finding *f);

/* ---- html_event.c ---- */

/* One event as an object. */
struct html_event {
	uint64_t pos;
	bool matters;	   /* it is shown; others are folded */
	bool tainted;	   /* may see, or write, another value than in the recorded run */
	int variable;	   /* of the scene's; -1 none */
	const char *label; /* what the spec calls it, or NULL */
};
void html_event(struct html *h, const struct html_event *e);
/* What an access has read or left there, as text; nothing when that is not known. */
void html_value(const struct evidence *ev, const struct evidence_event *e, struct strbuf *out);

/* ---- html_values.c ---- */

/* "variables", and what they hold after each event: "predicted_values", "recorded_values", rows of
 * the event's number and a text for each variable, wherever one has changed. */
struct html_variables {
	uint64_t at[FINDING_EVENTS]; /* an access of each; of properties none */
	uint32_t n;
};
void html_variables_find(const struct evidence *ev, const struct finding *f,
			 struct html_variables *out);
/* The variable that an access is of; -1 none of them. */
int html_variable_of(const struct evidence *ev, const struct html_variables *v, uint64_t pos);
void html_variables(struct html *h, const struct finding *f, const struct html_variables *v);
/* predicted: reads that see another value may have made writes differ.
 * there: events that the page has; what changes between two of them is told at the second. */
void html_values(struct html *h, const struct finding *f, const struct html_variables *v,
		 const char *key, const struct check_order *order, const struct map *there,
		 bool predicted);

/* ---- html_lattice.c ---- */

/* "lattice": the cuts that runs pass, where they are few, and the path of each finding. */
void html_lattice(struct html *h);

#endif /* REPORT_HTML_PRIV_H */
