/*
 * Properties of the user's over single runs: each run that is explored is looked at as a sequence of
 * states, in the order in which it happened (the baton has one), from main on.
 *
 * Where the variables lie is found out in a recording of one run; addresses are the same in all.  The
 * runtime then makes steps of what the properties are about, and notes it (trace/baton_watch.h).
 *
 * Ownership: made and freed by the caller; one for all servers, asked by one thread.
 */
#ifndef EXPLORE_PROPERTY_H
#define EXPLORE_PROPERTY_H

#include "explore/runner.h"

struct property;
struct spec;

/* Reads the spec.  ST_BAD_INPUT: it is wrong, has no properties, or one that cannot be judged so. */
enum status property_new(const char *path, struct property **out, struct diag *d) ST_CHECKED;
void property_free(struct property *p);
const struct spec *property_spec(const struct property *p);

/* Finds in a recording of the program what the spec names. */
enum status property_bind(struct property *p, const char *trace, struct diag *d) ST_CHECKED;

/* Before a run: says to the runtime what counts, if it is known by now. */
void property_ask(const struct property *p, struct baton_head *h);
/* After it: is one of them violated? */
void property_judge(struct property *p, const struct baton_head *h, struct explore_verdict *v);

/* What the last run that was judged has violated. */
struct property_fault {
	char *name;    /* NULL: nothing */
	bool is_error; /* it has no value: a division by zero, a number that does not fit */
	uint32_t
		thread; /* whose step it was; UINT32_MAX: nobody's, it does not hold at the start */
	uint32_t site;
	uint32_t step; /* that was under way then, from 1; 0: none */
	char *values;  /* "x = 1, y = 0"; of an error: why */
};
void property_tell(const struct property *p, struct property_fault *out);
void property_fault_release(struct property_fault *f);
/* Why runs could not be judged: "x is not known"; NULL: all could. */
const char *property_unknown(const struct property *p);

#endif /* EXPLORE_PROPERTY_H */
