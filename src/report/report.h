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
	uint64_t benign;	 /* races that the program has declared benign: not shown */
	const char *witness_dir; /* or NULL */
	const char *spec_path;	 /* as given; or NULL */
	const char *const *plugins;
	size_t nplugins;
	const struct ending *ending; /* how the run ended */
};

#endif /* REPORT_REPORT_H */
