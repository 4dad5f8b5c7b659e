/*
 * A program that is run again and again, in one schedule after the other, and the file that it shares
 * with us.
 *
 * The program is started once and stays before its main (capture/baton_serve.c); each run is a child of
 * it.  Nothing of that is recorded, and its output goes nowhere but to who judges it.
 */
#ifndef EXPLORE_SERVER_H
#define EXPLORE_SERVER_H

#include <sys/types.h>

#include "explore/course.h"
#include "explore/judge.h"
#include "explore/runner.h"

#define SERVER_STEPS COURSE_STEPS
#define SERVER_STEP_SECONDS 5.0 /* in which a step must be done */

struct server {
	struct explore_runner runner; /* first */
	char *path;		      /* of the file */
	pid_t pid;		      /* of the program; 0: not running */
	double step;		      /* seconds */
	struct judge judge;	      /* of its runs */
	bool gone;		      /* it has ended, or is to */
	bool stopped;		      /* by a signal that went through us */
};

struct server_program {
	const char *path;
	char **argv;
	const char *directory; /* where it runs; NULL: here */
	const char *options;   /* for the runtime, one a line; the file comes to them */
};

/* Makes the file, in the scratch directory.  w must stay. */
enum status server_open(struct server *s, const struct judge_wish *w, struct diag *d) ST_CHECKED;
void server_close(struct server *s);

/* Starts the program, calls `search', which asks for runs, and ends the program. */
enum status server_search(struct server *s, const struct server_program *p,
			  void (*search)(void *arg, struct explore_runner *r), void *arg,
			  struct diag *d) ST_CHECKED;

#endif /* EXPLORE_SERVER_H */
