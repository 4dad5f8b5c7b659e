/*
 * The search for deadlocks that the engines patterns, spd and deadlocks share: patterns in order
 * of their length, each stage on what the ones before have left (doc/ENGINES.md).
 *
 *	patterns	requests that wait for one another, held sets disjoint
 *	must-edges	no event of the pattern must run before another
 *	spd		in observed order
 *	osr, exact	some sections reversed; any reordering
 */
#ifndef PREDICT_DEADLOCKS_H
#define PREDICT_DEADLOCKS_H

#include "base/common.h"

struct engine_options;
struct engine_result;
struct engine_run;

enum deadlocks_stage {
	DEADLOCKS_LIST, /* patterns as they are, claiming nothing */
	DEADLOCKS_SPD,
	DEADLOCKS_ALL,
};

struct deadlocks_setup {
	const struct engine *engine;
	enum deadlocks_stage stage;
	bool must;	 /* leave out patterns whose events must run one after the other */
	bool parents;	 /* and those that a lock held by a parent keeps apart */
	bool joins;	 /* joins are requests, too */
	const char *why; /* LIST: why it is no more than a warning; static */
};

void deadlocks_search(struct engine_run *run, const struct engine_options *opt,
		      const struct deadlocks_setup *setup, struct engine_result *out);

#endif /* PREDICT_DEADLOCKS_H */
