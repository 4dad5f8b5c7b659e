/*
 * A search that is guided by warnings: a first run is recorded and analysed, and for each window of what
 * is found (explore/window.h) all schedules of the threads in it are run while the others are frozen.
 * What the analysis has a schedule for is run in that one before (explore/steer.h).
 *
 * When nothing in the window can move, those who are frozen may be what it waits for.  Whoever joins
 * one of them, directly or not, has an excuse.  If somebody has none the run is done once more, and
 * everybody goes on where the window ends: only what is wrong then is a failure.  So no failure is one
 * of the window alone, and to freeze a thread too many costs time and nothing else.
 */
#ifndef EXPLORE_GUIDED_H
#define EXPLORE_GUIDED_H

#include "explore/dpor.h"
#include "explore/aim.h"
#include "explore/server.h"

/* Records the program, without a preemption, and finds the aims.  ST_OK without aims: there are
 * none, or no recording could be made. */
enum status guided_record(struct server *server, const struct server_program *p, struct aims *out,
			  struct diag *d) ST_CHECKED;

/* The same of a recording that was made before. */
enum status guided_read(const char *trace, const char *program, struct aims *out,
			struct diag *d) ST_CHECKED;

/* One run along the schedule that aim `which' has. */
enum search_end guided_force(struct search *s, struct aims *g, size_t which, struct diag *d);

/* All schedules in the window of aim `which', and what came of it to those that have the same. */
enum search_end guided_search(struct search *s, struct aims *g, size_t which,
			      struct dpor_counts *counts, struct diag *d);
/* All schedules of these threads, whatever the aims are. */
enum search_end guided_window(struct search *s, struct aims *g, const struct baton_set *window,
			      struct dpor_counts *counts, struct diag *d);

#endif /* EXPLORE_GUIDED_H */
