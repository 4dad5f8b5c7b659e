/*
 * A program that is run again and again, in one schedule after the other, and the file that it shares
 * with us.
 *
 * The program is started once and stays before its main, as so many processes as runs may go on at once
 * (capture/baton_serve.c); each run is a child of one of them, and a lane of the pool.  Nothing of that is
 * recorded, and its output goes nowhere but to who judges it.
 */
#ifndef EXPLORE_SERVER_H
#define EXPLORE_SERVER_H

#include <sys/types.h>

#include "explore/course.h"
#include "explore/judge.h"
#include "explore/pool.h"

#define SERVER_STEPS COURSE_STEPS
#define SERVER_STEP_SECONDS 5.0 /* in which a step must be done */

/* The run of a lane, as it goes on. */
struct server_watch {
	uint32_t before; /* runs that the lane had done then */
	uint32_t steps;	 /* that were seen last */
	bool killed;
	struct judge judge;
};

struct server {
	struct pool pool;	 /* first */
	struct baton_file *file; /* mapped */
	size_t size;		 /* of it */
	int fd;
	char *path;	 /* of the file, for the program */
	pid_t pid;	 /* of the program; 0: not running */
	double step;	 /* seconds */
	double deadline; /* of runs without a lane, which are given up then (talk_clock); 0: none */
	struct judge judge; /* of runs without a lane */
	double looked;	    /* when it was seen to be alive */
	/* Of a run without a lane: somebody looks at it where it stands or hangs, and ends it so. */
	void (*visit)(void *arg, pid_t pid);
	void *visit_arg;
	bool fibers;  /* runs may be done by fibers */
	bool gone;    /* it has ended, or is to */
	bool stopped; /* by a signal that went through us */
	struct pool_lane lanes[POOL_LANES];
	struct server_watch watches[POOL_LANES];
};

struct server_program {
	const char *path;
	char **argv;
	const char *directory; /* where it runs; NULL: here */
	const char *options;   /* for the runtime, one a line; the file comes to them */
};

/* Makes the file, which is in memory, for so many runs at once; 0: none.  w must stay. */
enum status server_open(struct server *s, const struct judge_wish *w, uint32_t jobs,
			struct diag *d) ST_CHECKED;
void server_close(struct server *s);

/* Starts the program, calls `search', which asks for runs, and ends the program; `search' is not called if the
 * program ends before. */
enum status server_search(struct server *s, const struct server_program *p,
			  void (*search)(void *arg, struct explore_runner *r), void *arg,
			  struct diag *d) ST_CHECKED;

/* How many runs of the last search fibers have done, and why not others; false: none were tried. */
bool server_fibers(const struct server *s, struct strbuf *out);

#endif /* EXPLORE_SERVER_H */
