/*
 * All that is known about one trace when its analyses have ended: what the renderers of text and
 * JSON get.
 *
 * Ownership: everything is borrowed.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "finding/finding.h"
#include "predict/engine.h"

struct baseline;
struct ending;
struct evidence;
struct kept_list;
struct states_watch;
struct suppress;
struct trace;

struct report_analysis {
	const struct engine *engine;
	size_t findings; /* its own, before they were put together */
	bool complete;	 /* no budget of it ran out */
	/* Nobody asked for it by name, and the trace has nothing that it is about: not a word of it. */
	bool idle;
	double seconds;
	bool counted;
	struct engine_counts counts;
	struct lattice_counts *lattice; /* or NULL */
};

struct report {
	const char *path;
	bool passing; /* it came through a pipe and cannot be read again by that path */
	bool lenient; /* events that cannot be were dropped */
	struct trace *trace;
	const struct evidence *evidence; /* NULL when there are no findings */
	/* What the events are to the spec; NULL when no finding is about a property. */
	const struct states_watch *watch;
	uint32_t properties; /* that were looked at */
	uint64_t events;
	uint32_t threads, locks, variables;
	uint32_t stopped; /* threads that the trace cannot vouch for to their end */
	bool given;	  /* unseen code was given pointers to what several threads touch */
	double reading, modelling, certifying; /* seconds */
	const struct report_analysis *analyses;
	size_t nanalyses;
	const struct findings *findings; /* settled */
	/* Others that come after these: of parts of the recording that were looked at before, or while
	 * it was made.  May be NULL. */
	const struct kept_list *kept;
	uint64_t from_cut, to_cut;	 /* both 0: this is not about a part of the recording */
	struct texts truncated;		 /* what was not looked at; borrowed */
	const struct suppress *suppress; /* or NULL */
	uint64_t suppressed;
	const struct baseline *baseline; /* or NULL */
	uint64_t benign;		 /* races that the program has declared benign: not shown */
	uint64_t
		guesses; /* blocks that were guessed and may be split, but not beyond doubt: not shown */
	const char *witness_dir;    /* or NULL */
	const struct texts *chosen; /* options that decided what is found, as given; or NULL */
	char *const *
		compiled; /* source that was compiled for this run alone, and its arguments; or NULL */
	const char *const *plugins;
	size_t nplugins;
	const struct ending *ending; /* how the run ended */
};

/* ---- explain.c ---- */

/*
 * Findings as text for a person at a terminal: what, where, under which locks, in which order,
 * how sure, what to type next; at the end what was looked at and how far.
 */
#define EXPLAIN_FULL 20	    /* findings that are told in full; the others get a line each */
#define EXPLAIN_SAME_NAME 3 /* of these on one variable */

struct explain_options {
	bool color;
	bool all;    /* every finding in full */
	bool hints;  /* what to type next */
	bool source; /* a line of the program's source under each place, where it is there */
	int width;   /* of the terminal, in characters */
};

void explain_print(const struct report *r, const struct explain_options *opt, FILE *to);

/* One finding in full, and in a line, from after its number on: report/kept.h keeps that. */
void explain_finding(const struct report *r, const struct explain_options *opt,
		     const struct finding *f, struct strbuf *full, struct strbuf *line);
/* "data race on x, a.c:10 in f and b.c:20 in g (predicted, certified)" */
void explain_headline(const struct report *r, const struct finding *f, struct strbuf *out);

/* ---- steps.c ---- */

/* Positions of those events of an order that its picture shows, in its order.  How many. */
#define STEPS_MOST 20
size_t steps_choose(const struct report *r, const struct finding *f, const uint64_t *order,
		    size_t n, uint64_t out[STEPS_MOST]);
/* What an event is done to: a variable, a lock, a thread. */
void steps_object(const struct report *r, uint64_t pos, struct strbuf *out);
/* "T2  lock log_lock  audit.c:23 in log_line" */
void steps_words(const struct report *r, uint64_t pos, struct strbuf *out);

/* ---- findings_json.c ---- */

/*
 * A report as JSON, version 1: one object, one line.  doc/man/foresee-check.1 lists the members.
 */
/* A witness longer than this is given by its length alone; so is one longer than its share of what
 * all of a report may have. */
#define FINDINGS_JSON_ORDER 100000
#define FINDINGS_JSON_ORDERS 2000000

void findings_json_print(const struct report *r, FILE *to);

/* The members of a finding's object, all but the number: report/kept.h keeps them. */
void findings_json_members(const struct report *r, const struct finding *f, FILE *to);
/* The object, from these. */
void findings_json_object(uint32_t id, const char *members, FILE *to);

#endif /* REPORT_REPORT_H */
