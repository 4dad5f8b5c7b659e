/*
 * One schedule, run once more and recorded, so that it can be shown: a deadlock is entered this time,
 * and the names of what the steps are of are in the recording.
 */
#ifndef EXPLORE_AGAIN_H
#define EXPLORE_AGAIN_H

#include "explore/server.h"
#include "launch/launch.h"

/* s: its head has the steps of the run afterwards, and its runner the verdict, if it is judged.  output:
 * a descriptor for what the program writes, unless the judge has it; 0: ours. */
enum status again_run(struct server *s, const struct server_program *p,
		      const struct baton_choice *steps, size_t n, const char *trace, int output,
		      struct launch_end *end, struct diag *d) ST_CHECKED;

#endif /* EXPLORE_AGAIN_H */
