/* What the parts of replay/supervise.h share: one run, as it is watched. */
#ifndef REPLAY_SUPERVISE_PRIV_H
#define REPLAY_SUPERVISE_PRIV_H

#include <sys/types.h>

#include "replay/still.h"
#include "replay/supervise.h"

enum supervise_phase {
	SUPERVISE_PHASE_APPROACH,
	SUPERVISE_PHASE_FIRST,
	SUPERVISE_PHASE_SECOND,
	SUPERVISE_PHASE_SETTLE,
	SUPERVISE_PHASE_LOST,
	SUPERVISE_PHASE_AWAY
};

struct supervise_watch {
	const struct supervise *s;
	struct supervise_result *r;
	struct plan_head *shared; /* with the program */
	struct plan_head *h;	  /* the plan as we made it, with the program's seats */
	pid_t pid;
	enum supervise_phase phase;
	bool unpaced;	/* nobody goes from step to step any more */
	double begun;	/* the run, */
	double entered; /* the phase */
	double reached; /* the point */
	double asleep; /* SUPERVISE_PHASE_SETTLE and the like: since when they all sleep; 0: they do not */
	/* Progress of the seats, and what /proc says when there is none. */
	uint64_t sum;
	double moved, looked, still_for;
	struct still still;
};

static inline uint32_t supervise_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* ---- supervise.c ---- */

void supervise_enter(struct supervise_watch *w, enum supervise_phase phase);
/* The words of the head that the program writes, as they are now. */
void supervise_sync(struct supervise_watch *w);
/* Has it written over the plan? */
bool supervise_is_overwritten(const struct supervise_watch *w);
/* What the threads are doing now, for the report. */
void supervise_take_picture(struct supervise_watch *w);
/* The program is not needed any more.  Both are always false. */
bool supervise_finish(struct supervise_watch *w, enum supervise_end end);
bool supervise_refuted(struct supervise_watch *w, uint32_t thread, const char *words);
/* Seconds for which nothing has moved, neither in the seats nor in the kernel. */
double supervise_still_for(struct supervise_watch *w);
/* For good, unless a debugger holds it.  Who sleeps for a while will go on. */
bool supervise_is_stuck(struct supervise_watch *w);

/* ---- supervise_point.c; true: go on ---- */

/* A word that the program waits for. */
void supervise_set(uint32_t *word, uint32_t value);

/* The point is reached. */
bool supervise_at_point(struct supervise_watch *w);
/* A look in any phase behind it. */
bool supervise_look_behind(struct supervise_watch *w);

#endif /* REPLAY_SUPERVISE_PRIV_H */
