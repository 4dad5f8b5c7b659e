/*
 * One property along one run, by the definitions of doc/SPECS.md: the checker's own, which knows
 * nothing of the monitors (monitor/) that have found the violation.
 *
 *	ptltl	the table of SPECS.md, on the tree itself: what each subformula is now, from what
 *		it was one state ago
 *	ere	automata put together by the structure of the expression (judge_rx.c)
 *	fsm	the machine as it is written
 *	plug-in	its own functions, called through <foresee_monitor.h>: what it computes only it
 *		knows, so of a plug-in it is checked that it says so along this run
 *
 * Ownership: spec, property and plug-in are borrowed.
 * Threads:   a judge belongs to one; plug-ins are not made for several at once.
 */
#ifndef WITNESS_JUDGE_H
#define WITNESS_JUDGE_H

#include "witness/value.h"

struct foresee_monitor;
struct judge;

/* All but GOOD are last words. */
enum judge_verdict { JUDGE_GOOD, JUDGE_BAD, JUDGE_ERROR, JUDGE_UNKNOWN };

/* What an event of the run is to the spec. */
struct judge_step {
	const struct value *values; /* after it */
	uint64_t events;	    /* whose pattern it fits; `when' is still to be asked */
	uint64_t written, reads;    /* variables */
	uint32_t thread;	    /* for `tid' */
};

/* plugin NULL: the property of the spec that has the name.  NULL: there is none, or it is of a kind
 * that is not checked (mttl). */
struct judge *judge_new(const struct spec *s, const char *property,
			const struct foresee_monitor *plugin);
void judge_free(struct judge *j);

/* The verdict on the state before any event. */
enum judge_verdict judge_begin(struct judge *j, const struct value *initial);
/* After one more event.  What is no step of the property changes nothing. */
enum judge_verdict judge_take(struct judge *j, const struct judge_step *step);
/* Why it is ERROR or UNKNOWN, in words; or NULL. */
const char *judge_trouble(const struct judge *j);

#endif /* WITNESS_JUDGE_H */
