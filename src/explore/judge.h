/*
 * What is asked of a run when it is over, besides how it ended; and what a run has around it for that:
 * the files that its output goes to, a directory of its own.
 *
 * An oracle is a command of the user's.  It is run by sh when the program has left with the status of a
 * good run, in the directory where that ran, with
 *
 *	FORESEE_STDOUT, FORESEE_STDERR	files: what the program has written there
 *	FORESEE_STATUS			its status
 *
 * and says by its own status whether the run was good.  It ends with all that it has started.
 *
 * Ownership: every server has a judge of its own; the wish is borrowed.
 */
#ifndef EXPLORE_JUDGE_H
#define EXPLORE_JUDGE_H

#include "explore/property.h"
#include "explore/runner.h"

struct judge_wish {
	const char *oracle;	   /* NULL: none */
	struct property *property; /* NULL: none */
	bool sandbox;		   /* each run in an empty directory, which goes with it */
	const char *directory;	   /* where runs take place else; NULL: here */
	uint32_t expected;	   /* the status that a good run ends with */
};

struct judge {
	const struct judge_wish *wish;
	char *out, *err;	  /* files; NULL: nobody reads them */
	int out_fd, err_fd;	  /* -1 likewise */
	char *said;		  /* file: what the oracle has said last; NULL: there is none */
	char *directory;	  /* NULL: no sandbox */
	bool (*keeps)(void *arg); /* asked while an oracle runs: shall it go on? */
	void *keeps_arg;
};

/* number: of the server, for the names of its files in the scratch directory. */
enum status judge_open(struct judge *j, const struct judge_wish *w, int number,
		       struct diag *d) ST_CHECKED;
void judge_close(struct judge *j);

/* Around every run; after it the verdict is set.  Not ST_OK: it could not be judged. */
enum status judge_before(struct judge *j, struct baton_head *h, struct diag *d) ST_CHECKED;
enum status judge_after(struct judge *j, struct explore_runner *r, struct diag *d) ST_CHECKED;

/* The output of the last run, if it is kept, goes to ours. */
void judge_show(const struct judge *j);
/* What the oracle has said last, its end if that is long; the caller's to free. */
char *judge_said(const struct judge *j);

#endif /* EXPLORE_JUDGE_H */
