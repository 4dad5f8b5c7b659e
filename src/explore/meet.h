/*
 * Both threads of a data race, each before its access: the run in which it was seen, less what came
 * between the two and needs the first.
 *
 *	seen	a b A c d B		A of T2, B of T3; c is T2's
 *	to be	a b d | A B		at the bar both are next
 */
#ifndef EXPLORE_MEET_H
#define EXPLORE_MEET_H

#include "explore/explore.h"
#include "explore/steer.h"

/* Its choices; the last two are the accesses.  f: a race, in the run that its steps are of. */
void meet_plan(const struct explore_failure *f, struct steer_course *out);
/* Are the last two of these n steps of the run a race?  If so, *race is it. */
bool meet_is_race(const struct explore_runner *r, size_t n, uint32_t race[2]);

#endif /* EXPLORE_MEET_H */
