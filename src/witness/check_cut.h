/*
 * Many races, each after a cut of the recorded run in observed order, checked without walking it.
 *
 * A cut is so many first events of each thread.  In observed order every event of it finds what it
 * found in the recorded run if the cut has what the event depended on: the fork of its thread, all of
 * a thread it joined, the writes it saw, the making of its lock; and if no section that is open at
 * the cut was passed by a later one of its lock.  Then nothing differs, so nothing is tainted.
 *
 *	thread	T1  T2  T3		T2's first 40 events need 7 of T1: a step in a table
 *	cut	9   40  0		for T1 and T2, found by bisection
 *
 * Anything less plain (waits, semaphores, barriers, readers, tries, unknown writers ...) ends the
 * part of its thread that is judged here.  Such a cut is not refused, it has to be walked: the
 * answer is "yes" or "walk it".
 *
 * Ownership: borrows the evidence.  Threads: read-only once made.
 */
#ifndef WITNESS_CHECK_CUT_H
#define WITNESS_CHECK_CUT_H

#include <stdbool.h>

struct check_claim;
struct check_cuts;
struct check_verdict;
struct checker;
struct evidence;
struct schedule;

struct check_cuts *check_cuts_new(const struct evidence *ev);
void check_cuts_free(struct check_cuts *k);

/* The claim, whose order is that of the schedule, is certified, and out is what checker_run would
 * say; or false: walk it. */
bool checker_run_cut(struct checker *c, const struct check_cuts *k, const struct check_claim *claim,
		     const struct schedule *s, struct check_verdict *out);

#endif /* WITNESS_CHECK_CUT_H */
