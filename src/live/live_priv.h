/*
 * Processes beside the run (live/live.h): one that looks at the recording in rounds (live_rounds.c), and
 * with a spec one more that follows it (live_property.c), so that neither waits for the other.  What they
 * have found they tell in the same way (live.c).
 */
#ifndef LIVE_LIVE_PRIV_H
#define LIVE_LIVE_PRIV_H

#include <signal.h>
#include <sys/types.h>

#include "analyse/analyse.h"
#include "analyse/book.h"
#include "launch/side.h"
#include "live/live.h"

struct pass;

/* A process beside, as the one sees it that started it. */
struct live_process {
	struct live *l;
	bool lattice; /* its analyses: those that build lattices, or the others */
	struct book book;
	struct side side;
};

struct live {
	const struct analyse *a;
	const char *trace;
	struct live_options opt;
	double begun;
	uint32_t *told; /* findings, by all processes: shared, atomic; NULL: there was no memory */
	struct live_process rounds, property;
};

/* In the process beside: what it needs to tell. */
struct live_teller {
	struct live_process *p;
	struct analyse a; /* its own copy, with its own analyses */
	struct map known; /* keys of what was told */
	pid_t target;	  /* the program, if it runs here; 0 not known */
};

/* Set when the run is over: what is under way need not be finished. */
extern volatile sig_atomic_t live_over;

/* The process makes itself small, and t ready. */
void live_tell_begin(struct live_teller *t, struct live_process *p);
/* What p has found and nobody was told of.  done: warnings go to the book, too; they are worth
 * keeping, for this part of the recording will not be looked at again. */
void live_tell_findings(struct live_teller *t, const struct pass *p, bool done);
/* "foresee: live: WORDS, after 1.2 s", unless nothing is to be said. */
void live_tell_words(const struct live_teller *t, const char *words);

/* The work of the two processes, for side_start; arg: struct live_process. */
int live_rounds_work(void *arg, int stop, int say);
int live_property_work(void *arg, int stop, int say);

#endif /* LIVE_LIVE_PRIV_H */
